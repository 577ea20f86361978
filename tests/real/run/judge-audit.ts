import type { Tally } from "../tally.ts"
import { type AuditEntry, madeFor, refusals } from "./audit.ts"
import { completions, replicas } from "./objects.ts"

/** Both leaders together have made each object once. */
export async function judgeMade(tally: Tally, entries: readonly AuditEntry[]): Promise<void> {
  await tally.group("no object is made twice", async (group) => {
    const count = (name: string, made: readonly string[], expected: number) =>
      group.case(
        `${name}: ${expected}`,
        made.length === expected && new Set(made).size === expected ? undefined : `made ${made.length}: ${made.join(", ")}`,
      )
    const [inDefault, doomed] = apart(entries)
    count("ReplicaSets of the Deployment", madeFor(inDefault, "replicasets", "Deployment/web"), 2)
    count("ReplicaSets in the namespace that goes", madeFor(doomed, "replicasets", "Deployment/web"), 1)
    for (const set of new Set(madeFor(inDefault, "replicasets", "Deployment/web")))
      count(`pods of ${set}`, madeFor(inDefault, "pods", `ReplicaSet/${set}`), replicas)
    count("pods of the Job", madeFor(entries, "pods", "Job/sums"), completions)
    count("pods of the StatefulSet", madeFor(entries, "pods", "StatefulSet/db"), 4)
    count("pods of the DaemonSet", madeFor(entries, "pods", "DaemonSet/agent"), 3)
    count("EndpointSlices of the Service", madeFor(inDefault, "endpointslices", "Service/web"), 1)
  })
}

function apart(entries: readonly AuditEntry[]): [inDefault: readonly AuditEntry[], doomed: readonly AuditEntry[]] {
  const within = (namespace: string) => entries.filter(({ objectRef }) => objectRef?.namespace === namespace)
  return [within("default"), within("doomed")]
}

const ours = /^system:serviceaccount:kube-system:/

/** Nothing that they tried was refused for want of rights, and each controller said who it was. */
export async function judgeAccess(tally: Tally, entries: readonly AuditEntry[]): Promise<void> {
  await tally.group("exactly the shipped rights", async (group) => {
    for (const [text, times] of refusals(entries, ours)) group.case(text, `${times} times`)
    const mine = entries.filter(({ user }) => ours.test(user.username))
    const writers = new Set(mine.filter(({ verb }) => verb !== "list" && verb !== "watch").map(({ userAgent = "" }) => userAgent))
    const nameless = mine.filter(({ userAgent = "" }) => !userAgent.startsWith("pilothouse/"))
    group.case(
      "every request says which controller it is from",
      nameless.length === 0 ? undefined : `${nameless.length} do not: ${nameless[0]?.requestURI}`,
    )
    group.note(`${mine.length} requests of ${new Set(mine.map(({ user }) => user.username)).size} accounts, ${writers.size} user agents`)
  })
}
