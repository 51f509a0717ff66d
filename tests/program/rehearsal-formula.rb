# Runs `install` and `test` of a Homebrew formula without Homebrew: it knows the words that the formula uses, and no more.
# What Homebrew itself would say of the formula (`brew audit --new`) it does not know.
#   ruby rehearsal-formula.rb FORMULA FOLDER
require "digest"
require "fileutils"
require "open3"
require "pathname"


class Formula
  @said = {}
  class << self
    attr_reader :said

    def inherited(formula)
      super
      formula.instance_variable_set(:@said, { depends: [] })
    end

    %i[desc homepage url sha256 license].each { |word| define_method(word) { |value| said[word] = value } }
    def depends_on(name) = said[:depends] << name
    def uses_from_macos(name) = said[:depends] << name
    def test(&block) = block ? said[:test] = block : said[:test]
  end

  attr_reader :prefix, :testpath

  def initialize(folder)
    @prefix = Pathname(folder) / "prefix"
    @testpath = Pathname(folder) / "test"
    FileUtils.mkdir_p([prefix, testpath])
  end

  def bin = prefix / "bin"
  def std_cmake_args = ["-DCMAKE_INSTALL_PREFIX=#{prefix}", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Release", "-Wno-dev"]

  def system(*command)
    Kernel.system(*command.map(&:to_s), exception: true)
  end

  def generate_completions_from_executable(program, *words)
    { bash: "bash-completion/completions/shapelint", zsh: "zsh/site-functions/_shapelint",
      fish: "fish/vendor_completions.d/shapelint.fish" }.each do |shell, file|
      said, status = Open3.capture2(program.to_s, *words, shell.to_s)
      raise "no completion for #{shell}" unless status.success? && !said.empty?

      (prefix / "share" / file).dirname.mkpath
      (prefix / "share" / file).write(said)
    end
  end

  def shell_output(command, code = 0)
    said, status = Open3.capture2(command)
    raise "#{command}: exit code #{status.exitstatus}" unless status.exitstatus == code

    said
  end

  def assert_match(wanted, text)
    raise "no #{wanted} in: #{text}" unless text.match?(wanted)
  end
end

file, folder = ARGV.map { |path| File.expand_path(path) }
FileUtils.mkdir_p(folder)
load file
formula = Shapelint.new(folder)
said = Shapelint.said
missing = %i[desc homepage url sha256 license test] - said.keys
raise "the formula lacks #{missing}" unless missing.empty?
# As `brew audit` asks of a description: no article before it, no name of the formula, at most 80 characters.
raise "the description: #{said[:desc]}" if said[:desc].match?(/\A(an?|the) |shapelint|\.\z/i) || said[:desc].length > 80

archive = said[:url].delete_prefix("file://")
raise "the sum is of another archive" unless Digest::SHA256.file(archive).hexdigest == said[:sha256]

Kernel.system("tar", "-xzf", archive, "-C", folder, "--strip-components=1", exception: true)
Dir.chdir(folder) { formula.install }
Dir.chdir(formula.testpath) { formula.instance_eval(&said[:test]) }
