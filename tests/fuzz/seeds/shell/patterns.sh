X=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
Y=${X##*a*a*a*b}${X%%*[abc]b}${X#?a}
case $X in *a*a*b) Z=1 ;; *[!a]*) Z=2 ;; esac
[[ $X == *a*a*a*b ]] && Z=3
printf -v W '%s%s' "$X" "$X"
f() {
  local A=$1 B=$X C=$X
  g "$@" $A $B
}
g() { local A=$1; if [ $Q ]; then f $A; else X+=$A; fi; }
f 1 2 3
python train.py --layers $Z --name $W $(echo $X $Y)
