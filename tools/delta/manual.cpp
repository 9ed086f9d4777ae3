// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The DGFS authors
#include "tools/delta/manual.h"

#include "tools/delta/store_report.h"

namespace dgfs::tools {

Manual delta_manual() {
  return {
      .paragraphs =
          {"DIR is a delta: the directory that keeps the changes of an image. Its file MANIFEST "
           "names the stores in it. Each store is shown or checked under its number, the oldest "
           "first. DIR may also be a single store. Nothing is changed without --repair, and "
           "permission to read the files is enough. If the delta is mounted, 'info' shows what the "
           "mount reports, and 'check' is refused. The message names the process that holds the "
           "delta if the system reveals it: to root always, to other users for their own "
           "processes. If the mount has just ended, the command waits until the delta is closed.",
           "'info' shows what the store consists of, from its superblocks, log and nodes; with "
           "--scan it also reads all blocks, and counts what is in them. 'check' reads everything: "
           "it checks the checksums, the order of keys, that each key lies where a lookup finds "
           "it, that each block is used once, and that the log has no gap. It goes on after "
           "damage, but not below a lost node. The first 100 damaged places are listed and the "
           "others counted; --json lists all. A flipped bit in the last group of the log looks "
           "like a group that was cut short, and is not reported.",
           "With --image, 'check' compares the names, attributes and links in all stores with each "
           "other and with the image: each name leads to an object of its type, each directory has "
           "one name and is below the root, the counts of links and names are right, names that "
           "hide others are marked so, and nothing is lost. Each broken place is one line with its "
           "path, or with a number if no path is known; the last line counts them. The check needs "
           "some 50 bytes of memory for each changed directory that has subdirectories, and little "
           "else.",
           "With --repair, the same check runs if the stores are sound, mends what is broken and "
           "says how: it counts anew, drops names that lead nowhere and records that belong to no "
           "object, and saves objects without a name in /lost+found as '#NUMBER'. Without --repair "
           "nothing is changed, so 'check' alone shows what there is to mend; a repair may find "
           "more places, since one can lead to another. Copy the delta before a repair. A delta "
           "that is mounted, or that another command reads, is not repaired. If a crash or a full "
           "disk interrupts a repair, some places are mended and others still broken, and all "
           "sound names are unchanged: run it again.",
           "'seal' keeps the present state of the delta: all changes so far become a layer that "
           "never changes again, and later changes go into an empty store over it. The state gets "
           "an id and, with --name, a name of 1 to 64 letters, digits, '.', '_' and '-'. 'log' "
           "lists the states, the newest first, and at the end the image or the base of the delta "
           "as 'base'. 'dgfs mount --as-of' shows a state, 'check --as-of' checks it. A delta has "
           "at most 16 layers. A layer keeps the space of what it holds, even if the files are "
           "removed later. 'seal' tells about how much that is, 'log' tells how much the layer "
           "takes on the disk, or that the mount, or after a crash the next one, has not closed it "
           "yet.",
           "'drop' takes the names of states away, or of those that no rule of --keep-last, "
           "--keep-daily, --keep-weekly and --keep-monthly keeps. A rule keeps the newest state of "
           "each of the last N periods that have one, in local time; if it finds fewer, it also "
           "keeps the oldest state. A state stays if one of the rules keeps it. Rules judge only "
           "states with names, by their time. A state without a name can be looked at by its id "
           "until a join or a merge takes it. The live tree never changes. If the delta is "
           "mounted, the mount does it.",
           "'rollback' returns a delta that is not mounted to a state: it lists the later states "
           "and changes, which are lost for good, and asks, unless --yes is given. The state may "
           "be 'newest', the one of the last seal, or 'base'. Numbers of objects go on above all "
           "that were ever given out, so file handles of what is lost stay stale. Stores that go "
           "may be damaged, and the newest store may be torn: so a copy of a mounted delta becomes "
           "sound, and is a backup of the state of the last seal. 'seal --wait' returns once this "
           "state can be copied. Afterwards the delta is closed; if there is nothing to lose, "
           "'rollback' only closes what a killed process has left open. --dry-run lists what would "
           "be lost. If the standard input is no terminal, nobody is asked, and --yes is needed.",
           "'compact' joins layers: neighbours become one layer, unless the state between them has "
           "a name or is in use. Lookups get faster, contents that a later layer has replaced are "
           "gone, and there is room for more seals. It tells beforehand how much of the disk that "
           "needs. The tree and all states with names stay as they are. If the delta is mounted "
           "for writing, the mount does it while programs go on; a mount also joins layers by "
           "itself when more than 8 have no name.",
           "'merge' makes the layers of the delta a part of its base: an image in DIR that has the "
           "changed contents and the index of all names. If the delta is mounted for writing, the "
           "mount does it while programs go on, and the command shows how far it is; Ctrl-C leaves "
           "it running. Otherwise --image names the image. A merge seals the delta, and takes all "
           "layers up to the oldest state that has a name or is in use, which the base then "
           "equals. Contents that have not changed stay in the image, which is only read and is "
           "still needed, unless --repack packs all of them. 'info' shows the base, and the merge "
           "of a mount. A merge that fails or is cancelled changes nothing. --dry-run tells what "
           "would be packed, and the space that it takes; of a mounted delta it looks only at what "
           "was sealed, and tells about how much it has not looked at.",
           "'wait' waits until no process has the delta open for writing, and tells whom it waits "
           "for. It succeeds if the delta was closed in good order: then its directory is whole, "
           "and a copy of it is a backup. It fails if the process was killed; mount the delta once "
           "then, which recovers it.",
           "A copy that was taken while a process had the delta open for writing has files of "
           "different moments. Every command and every mount refuses it. 'repair' keeps what such "
           "a copy has, if all of that holds together; the last changes before and during the "
           "copying may be missing. Otherwise it changes nothing. After a crash of the mount or of "
           "the machine no repair is needed, since the files are the same. A crashed delta that "
           "was then moved to another disk, or copied, cannot be told from a torn copy.",
           kStoreHelp, kJsonHelp},
      .examples = {{"dgfs delta seal --name nightly-02 tree.delta",
                    "Keeps the present state under a name."},
                   {"dgfs delta log tree.delta", "Lists the states that were kept."},
                   {"dgfs delta drop --keep-daily 7 --keep-weekly 4 tree.delta",
                    "Drops all names but those of the last of each of 7 days and 4 weeks."},
                   {"dgfs delta rollback tree.delta nightly-02",
                    "Returns to a state; all that came later is lost."},
                   {"dgfs delta seal --wait tree.delta && cp -a tree.delta backup && "
                    "dgfs delta rollback --yes backup newest",
                    "Makes a backup of a delta that may be mounted."},
                   {"dgfs delta compact tree.delta", "Joins layers whose states have no names."},
                   {"dgfs delta merge tree.delta", "Makes a mounted delta small again."},
                   {"dgfs delta info tree.delta", "Shows what the store consists of."},
                   {"dgfs delta check tree.delta", "Reads everything, with a progress bar."},
                   {"dgfs delta check --image tree.dgfs tree.delta", "Checks the names, too."},
                   {"dgfs delta check --repair --image tree.dgfs tree.delta",
                    "Mends broken names."},
                   {"dgfs delta wait tree.delta && cp -a tree.delta backup",
                    "Copies the delta of a mount that was just unmounted."},
                   {"dgfs delta repair backup",
                    "Keeps what a torn copy has, although changes may be missing."},
                   {"dgfs delta check -q tree.delta || echo damaged",
                    "Prints nothing if all is well."}},
      .exit_statuses =
          {{0, "Everything that was read is sound, or was mended; what was asked is done."},
           {1,
            "There is damage that was not mended, the repair failed, the delta is in "
            "use, DIR holds none, there is no such state, or the answer was no."},
           {2, "Wrong usage."}},
      .see_also = {"dgfs-info(1)", "dgfs-verify(1)"}};
}

}  // namespace dgfs::tools
