import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The real API server's own record of who asked for what. */
export interface Audit {
  readonly flags: readonly string[]
  /** Begins a count: what came before does not matter. */
  mark(): number
  /** What a program with this user agent asked for since then. */
  since(mark: number, userAgent: string): Calls
}

export interface Calls {
  readonly writes: number
  readonly reads: number
  /** "2 × create pods", most frequent first. */
  readonly kinds: readonly string[]
}

interface AuditEvent {
  readonly verb: string
  readonly userAgent?: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
}

/** Leader election, and events for users: no part of reaching a state. */
const leftOut: ReadonlySet<string> = new Set(["leases", "events", "subjectaccessreviews", "tokenreviews", "serviceaccounts/token"])
const writing: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"])
const reading: ReadonlySet<string> = new Set(["get", "list"])

export function auditIn(directory: string): Audit {
  const [policy, log] = [join(directory, "audit-policy.json"), join(directory, "audit.log")]
  const rules = [{ level: "Metadata" }]
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules }))
  return {
    flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    mark: () => statSync(log).size,
    since: (mark, userAgent) => countIn(readFileSync(log).subarray(mark).toString(), userAgent),
  }
}

function countIn(text: string, userAgent: string): Calls {
  const counts = new Map<string, number>()
  let [writes, reads] = [0, 0]
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const { verb, userAgent: agent = "", objectRef } = JSON.parse(line) as AuditEvent
    const what = [objectRef?.resource, objectRef?.subresource].filter(Boolean).join("/")
    if (!agent.startsWith(userAgent) || what === "" || leftOut.has(what)) continue
    if (writing.has(verb)) writes++
    else if (reading.has(verb)) reads++
    else continue
    counts.set(`${verb} ${what}`, (counts.get(`${verb} ${what}`) ?? 0) + 1)
  }
  const kinds = [...counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `${count} × ${what}`)
  return { writes, reads, kinds }
}
