# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The DGFS authors
"""Options of ls, find, du, stat and cat that gnu_compare_test.py tries on its trees."""

LS = [
    "", "-a", "-A", "-1", "-R", "-aR", "-l", "-la", "-lR", "-laR", "-lh", "-li", "-ls", "-lsh",
    "-s", "-i", "-is", "-iR", "-sR", "-lt", "-lS", "-lr", "-ltr", "-lSr", "-n", "-g", "-o", "-go",
    "-lG", "-d", "-ld", "-lid", "-F", "-lF", "-p", "-lp", "--file-type", "-C", "-x", "-m", "-Ci",
    "-Cs", "-xF", "-mi", "-w 40 -C", "-w 0 -C", "-w 200 -x", "-w 30 -m", "-T 0 -C", "-T 4 -C",
    "-Q", "-b", "-N", "-q", "-lQ", "-lb", "-lq", "-CQ", "-Cb", "-Rb", "-RQ", "-Fb", "-FQ",
    "--quoting-style=shell", "--quoting-style=shell-always", "--quoting-style=shell-escape",
    "--quoting-style=shell-escape-always", "--quoting-style=c", "--quoting-style=escape",
    "-l --quoting-style=shell-escape", "-C --quoting-style=shell-escape",
    "-R --quoting-style=shell-escape", "-F --quoting-style=shell-escape",
    "-l --quoting-style=shell", "-q --quoting-style=shell", "-x --quoting-style=shell-escape -i",
    "-l --time-style=full-iso", "-l --time-style=long-iso", "-l --time-style=iso",
    "-l --time-style=locale", "-l --time-style=+%s.%N", "--full-time", "-lc", "-lu", "-ltu", "-u",
    "-c", "-t", "-tr", "-S", "-Sr", "-X", "-Xr", "-v", "-vr", "-r", "-lv",
    "-av", "-1Av", "--sort=extension",
    "--sort=none -a1 -r", "--sort=time -l", "--time=atime -l", "--group-directories-first",
    "-r --group-directories-first", "-l --group-directories-first -t", "-B", "-I '*.c'",
    "-I '*.c' -a", "--hide='*.c'", "--hide='*.c' -A", "--si -l", "--si -s", "-k -s", "-lk",
    "--format=across", "--format=commas", "--format=long", "--zero", "--zero -l", "-lRah1it",
    "--color", "-l --color", "-R --color", "-C --color", "-lRah1it --color", "-lF --color",
    "-x --color -w 60", "-b --color", "-l --color -w 20", "--color=never -l",
    "-Z", "-lZ", "-CZ", "-mZ", "-H", "-lH", "--indicator-style=slash",
    "-lsih --full-time", "-FRi", "-lnR", "-1l", "-l1", "-lC", "-Cl",
    "-l --author", "-go --author", "-lhZ --author", "--sort=width", "-r --sort=width",
    "-Q --sort=width", "-l --time=birth", "-lt --time=birth", "-1 --time=creation",
    "-ls --block-size=K", "-ls --block-size=1", "-lh --block-size=kB", "-l --block-size=M -h",
    "-ls --block-size=1M", "-s --block-size=MiB", "-lsk --block-size=2K",
    "-ls --block-size=\"'1\"", "-ls --block-size=\"'kB\"", "-ls --block-size=human-readable",
    "-s --block-size=si", "-ls --block-size=\"'h\"", "-s --block-size=0x400", "-s --block-size=010",
    "-l --time-style=posix-long-iso", "-l --time-style=posix-posix-iso",
    "-l --time-style=posix-+%s",
    "--quoting-style=locale", "-C --quoting-style=locale", "-lF --quoting-style=locale",
    "-R --quoting-style=clocale", "--quoting-style=c-maybe", "-C --quoting-style=c-maybe",
    "-l --quoting-style=c-maybe", "-RF --quoting-style=c-maybe", "-q --quoting-style=c-maybe",
    "-m --quoting-style=clocale", "-F --quoting-style=shell-always",
    "-RF --quoting-style=shell-escape-always",
    "--classify", "--classify=never", "-l --classify=always", "-p --classify=auto",
    "-F --color=tty",
    "--color=yes", "--color=force -C", "--color=none", "--color=if-tty", "--hyperlink=never",
    "-l --hyperlink=auto", "-goZ", "-xZ", "-RZ", "-1Z", "-lZ --color -w 60", "-lRZ", "-lRi --color",
    "-C --color -w 30", "-x --color -w 25 -i", "-m --color -w 20", "-C --color -w 0",
    "-1 --color -w 9",
    "-C --color --quoting-style=shell-escape -w 33", "-RC --color -w 45",
    "-l --color --quoting-style=shell-escape -w 40", "-l --color -w 30 -go", "-C --zero",
    "--zero -m", "-x --zero -w 50", "-l --time=birth --time-style=iso",
    "-l --time=birth --time-style='+%s\n%H'", "-aB", "-AB -I '.#*'",
]


# Settings of the environment: variables, with options.
LS_ENVIRONMENTS = [
    ({"LS_COLORS": ""}, ["--color", "-l --color", "-R --color", "-C --color"]),
    ({"LS_COLORS": "", "TERM": "dumb"}, ["--color", "-C --color"]),
    ({"LS_COLORS": "", "TERM": "dumb", "COLORTERM": "truecolor"}, ["--color", "-lF --color"]),
    ({"LS_COLORS": "ln=target"}, ["--color", "-l --color", "-CF --color"]),
    ({"LS_COLORS": "ln=target:ex=0"}, ["--color", "-l --color", "-p --color"]),
    ({"LS_COLORS": "ln=target:or=31:mi=32:mh=44"}, ["--color", "-l --color", "-lp --color"]),
    ({"LS_COLORS": "mh=44;37:or=0:mi=00"}, ["--color", "-l --color", "-lR --color"]),
    ({"LS_COLORS": "no=36:fi=33:*.c=35:rs=00"}, ["--color", "-l --color", "-C --color -w 40"]),
    ({"LS_COLORS": "no=0:di=:*.c=:fi=0"}, ["--color", "-lF --color", "-R --color"]),
    ({"LS_COLORS": "mi=05:ex=00:su=0:tw=0:st=0"}, ["-l --color", "-R --color"]),
    ({"LS_BLOCK_SIZE": "K"}, ["-s", "-ls", "-lsk", "-lsh", "-ls --block-size=1"]),
    ({"BLOCK_SIZE": "human-readable"}, ["-s", "-ls", "-lsk"]),
    ({"BLOCKSIZE": "2048"}, ["-s", "-ls", "-lsk"]),
    ({"LS_BLOCK_SIZE": "wrong", "BLOCK_SIZE": "si"}, ["-s"]),
    ({"POSIXLY_CORRECT": "1"}, ["-s", "-ls", "-lsk"]),
    ({"QUOTING_STYLE": "c"}, ["", "-R", "-N", "-C"]),
    ({"QUOTING_STYLE": "shell-escape"}, ["-C", "-l"]),
    ({"TABSIZE": "4"}, ["-C", "-x", "-C -T 3", "-C --color"]),
    ({"TIME_STYLE": "posix-iso"}, ["-l"]),
    ({"TIME_STYLE": "+%H"}, ["-l", "-l --time-style=long-iso"]),
    ({"COLUMNS": "33"}, ["-C", "-x", "-m", "-C -w 50"]),
    ({"COLUMNS": "0"}, ["-C", "-x", "-m"]),
]

DU_ENVIRONMENTS = [
    ({"DU_BLOCK_SIZE": "M"}, ["-a", "-ah", "-ak", "-a -B 1"]),
    ({"BLOCK_SIZE": "'1"}, ["-a", "-am"]),
    ({"BLOCKSIZE": "si"}, ["-a", "--inodes"]),
    ({"POSIXLY_CORRECT": "1"}, ["-a", "-ak"]),
    ({"TIME_STYLE": "full-iso"}, ["--time", "--time --time-style=iso"]),
    ({"TIME_STYLE": "locale"}, ["--time"]),
    ({"TIME_STYLE": "posix-iso"}, ["--time"]),
    ({"TIME_STYLE": "+%d\n%m"}, ["--time"]),
]


FIND = [
    "", "-name '*.c'", "-name '?'", "-name '*[0-9]*'", "-iname '*X*'", "-path 't/*/*'",
    "-ipath 'T/*.C'", "-wholename '*.gz'", "-iwholename '*.GZ'", "-regex '.*\\.c'",
    "-regex 't/[a-z].*'", "-iregex '.*[A-C]'", "-regextype posix-extended -regex '.*(gz|txt|jpg)'",
    "-regextype egrep -iregex '.*/.{1,3}'", "-regextype sed -regex '.*/\\(.\\)\\1.*'",
    "-regextype grep -regex '.*9'", "-regextype awk -regex 't/.+/.+'",
    "-regextype emacs -regex '.*'", "-regextype posix-minimal-basic -regex '.*a.*'",
    "-type f", "-type d", "-type l", "-type p", "-type b", "-type c", "-type f,l,p",
    # Some releases of find report a loop as an error; others, and ours, treat it as a link.
    "! -name 'loop*' -xtype f", "! -name 'loop*' -xtype d", "! -name 'loop*' -xtype l",
    "! -name 'loop*' -type l -xtype l,d", "! -name 'loop*' -type l -xtype f",
    "-size 0", "-size 1", "-size +1", "-size -3", "-size +10k", "-size -100k", "-size 1c",
    "-size +511c", "-size 513c", "-size +1M", "-size 1M", "-size -1M", "-size 2w", "-size +0b",
    "-type f -size 3M", "-mtime 0", "-mtime +10000", "-mtime -5", "-mtime 20000", "-mtime -1000000",
    "-mmin -600", "-mmin +600", "-mmin 1.5", "-mtime +0.5", "-ctime 0", "-atime +1", "-cmin -6000",
    "-amin +60", "-daystart -mtime 0", "-daystart -mtime +0", "-newermt 2001-01-01",
    "-newermt '2001-09-09 03:46:40'", "-newermt '2001-09-09T01:46:40Z'", "-newermt @1000000000",
    "-newermt '1970-01-01 00:00:00 UTC'", "-newermt yesterday", "-newermt '2 days ago'",
    "! -newermt '3 weeks ago'", "-newerat 2001-01-01", "-newerct '1 hour ago'",
    "-newermt @2147483648.5", "-perm 644", "-perm -111", "-perm /6000", "-perm -u=r", "-perm /a+x",
    "-perm u=rw,go=r", "-perm 0", "-perm -0", "-perm /0", "-perm 4755", "-user root", "-user 0",
    "-user 54321", "-group root", "-uid 0", "-uid +0", "-gid -5", "-uid 54321", "-nouser",
    "-nogroup", "-links 1", "-links +1", "-links -3", "-links 2 -type f", "-inum 5", "-inum +100",
    "-inum -10", "-maxdepth 0", "-maxdepth 1", "-maxdepth 2 -type d", "-mindepth 1", "-mindepth 2",
    "-mindepth 2 -maxdepth 2", "-mindepth 9", "-empty", "-empty -type f", "-type d ! -empty",
    "-lname '*a*'", "-ilname '*A*'", "-not -type f", "! -name '*.c' ! -type d",
    "-type f -o -type d", "-type f -a -name '*a*'", "( -type f -o -type p ) -name '*.*'",
    "-true", "-false", "-false -o -type p", "-type f , -type d", "-type f -print , -type d -print",
    "-name '*.*' -prune", "-type d -name '*[ab]*' -prune -o -print",
    "-type d -name '*[ab]*' -prune -o -type f -print", "-depth -type d",
    "-depth -name '*a*' -prune",
    "-depth -mindepth 1 -maxdepth 2", "-ls", "-type f -ls", "-type l -ls", "-xdev -name '*.h'",
    "-printf '%p|%P|%f|%h|%H|%s|%m|%M|%d|%n|%y|%Y|%l|%i|%k|%b|%%\\n'",
    "-printf '%u %U %g %G %T@ %T+ %t\\n'", "-printf '%A@ %C@ %a %c %Td/%Tb/%TY %TH:%TM:%TS\\n'",
    "-printf '%-20f|%20s|%.3f|%5m|%05m\\t\\060\\x\\n'", "-type f -printf '%S %s\\n'",
    "-type d -printf '%p %s %n %b\\n'", "-printf '%h\\0'", "-maxdepth 0 -printf '%f %h %P|'",
    "-newermt 20010909", "-newermt 12:00", "-newermt now", "-warn -type f", "-nowarn",
    "-newermt tomorrow", "-newermt '2001-09-09 01:46:40 +0000'",
    "-ignore_readdir_race -noignore_readdir_race -type d", "-maxdepth 0 -printf '%f\\c no'",
    "-printf '%#m|%+d|%05s|%.2s|%5d|%.3m|%#5m|%-+5d|% d|%.3d|%05f\\n'",
    "-executable", "-readable", "-writable", "-type f -executable", "! -readable -o -writable -ls",
    "-fstype fuse.dgfs", "-fstype ext4", "! -fstype fuse.dgfs", "-fstype fuse",
    "-printf '%F|%10F|%B@|%20B@|%Bk|%5BY|%B+|%p\\n'", "-printf '%p %Z\\n'",
]


DU = [
    "", "-a", "-s", "-h", "-sh", "-ah", "-b", "-ab", "-sb", "-k", "-m", "-am", "-c", "-ac", "-d 0",
    "-d 1", "-d 2 -a", "--max-depth=1", "--apparent-size", "-a --apparent-size",
    "-ah --apparent-size", "--si", "-l", "-al", "-S", "-aS", "--inodes", "--inodes -a", "-a -t 10k",
    "-t -5000 -a", "-a --time --time-style=full-iso", "--time --time-style=+%s", "--time -s", "-x",
    "-shc", "-B 4096 -a", "-a --exclude='*.c'", "-hd 1",
    "-B M -a", "-BK -a", "-B kB -a", "-BMiB", "-a -hB1", "-BM -k", "-bBK -a", "-s -d 0",
    "-a --time=atime --time-style=full-iso", "--time=status --time-style=iso", "--inodes -BK",
    "-a -B \"'1\"", "-a --block-size=human-readable", "-a -B s", "--inodes -h", "-aS -c", "-aSc -h",
]

STAT = ["%n %s %a %A %f %F %h %u %U %g %G", "%N", "%b %B %o %i", "%x|%X|%.3X|%y|%Y|%.Y|%z|%Z|%.1Z",
        "[%10s|%-10s|%010s|%.2n|%5a|%05a]", "%t %T %r %R %Hr %Lr", "%04a %5u %8U %%", "%W|%w",
        "%#a|%+s|%#f|% s|%.3s|%.12s|%+i|%010n|%#010f|%-#10f|%+010s|% h|%#o|%#.6a|%.2n|%010F",
        "%.3W|%+X|%#t|%#R|%+.3X|%.0s", "plain \\n text", "%C|%20C"]


# Operands in the tree of test_follows_links.
PLACES = ("to_dir/", "to_dir/.", "to_file/", "d/f/", "d/f/.", "d/f/..", "d/f/../f", "d/./f",
          "dangling/", "loop/", "missing/", "''", "to_dir/../d/f", "d/e/..", "'' d", "slashed",
          "slashed/")

CAT = ["-n", "-b", "-s", "-E", "-T", "-v", "-A", "-e", "-t", "-u", "-bs", "-nsA", "-vET",
       "-n -b -s", "--number-nonblank --squeeze-blank -n", "--show-all", "--show-ends --show-tabs"]

# Options of ls for --hyperlink.
LINKS = ["", "-l", "-R", "-C", "-m", "-lF --color", "-CF --quoting-style=shell-escape",
         "-l --quoting-style=c-maybe --color", "-lR --quoting-style=locale", "-d",
         "-1 --quoting-style=shell", "-C --hyperlink=never"]
