import type { Tally } from "../tally.ts"
import type { ComponentLine, KcmCluster } from "./cluster.ts"

/** Errors and warnings that they write against a real API server too, and why. */
const knownComplaints: readonly { readonly says: RegExp; readonly why: string }[] = [
  { says: /The manifest file is empty, ignoring/, why: "they have no admission file" },
  { says: /requestheader-client-ca-file/, why: "no front proxy was set up" },
  { says: /Flexvolume plugin directory .* does not exist/, why: "this machine has none" },
  {
    says: /is not as new as written version|EndpointSlice informer cache is out of date/,
    why: "a controller waits for its own writes to come back by the watch",
  },
  { says: /because it is being terminated/, why: "controllers go on writing until they see that the namespace ends" },
  { says: /the object has been modified; please apply your changes/, why: "two controllers write one object; the slower one tries again" },
]

/** Whatever they complain of beyond what they always do is a difference between our API server and the real one. */
export async function judgeComplaints(tally: Tally, cluster: KcmCluster): Promise<void> {
  await tally.group("what the components complain of", async (group) => {
    group.case("both still run", cluster.ended())
    for (const { says, why } of knownComplaints) {
      const count = cluster.lines.filter(({ line }) => isComplaint(line) && says.test(line)).length
      if (count > 0) group.note(`${count} times, as with any server: ${why}`)
    }
    for (const [text, count] of foldedComplaints(cluster.lines)) group.case(text.slice(0, 80), `${count} times: ${text}`)
    group.note(`${cluster.lines.length} lines of log read`)
  })
}

/** Same lines are counted, without time and process number. */
function foldedComplaints(lines: readonly ComponentLine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { component, line } of lines) {
    if (!isComplaint(line) || knownComplaints.some(({ says }) => says.test(line))) continue
    const text = `${component}: ${line.replace(/^([EWF])\S+ \S+ +\d+ /, "$1 ")}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

/** klog begins a line with its level and the date. */
function isComplaint(line: string): boolean {
  return /^[EWF]\d{4} /.test(line)
}
