// The API server's own record of who asked for what: every request of the two replicas, and every object that was made.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Whole objects where they are made; who, what and how it ended for the rest. */
const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived", "ResponseStarted"],
  rules: [
    {
      level: "RequestResponse",
      verbs: ["create"],
      resources: [{ group: "" }, { group: "apps" }, { group: "batch" }, { group: "discovery.k8s.io" }],
    },
    { level: "Metadata" },
  ],
}

export interface AuditEntry {
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly user: { readonly username: string }
  readonly objectRef?: {
    readonly resource?: string
    readonly subresource?: string
    readonly apiGroup?: string
    readonly namespace?: string
  }
  readonly responseStatus?: { readonly code?: number; readonly message?: string }
  readonly responseObject?: MadeObject
}

export interface MadeObject {
  readonly metadata?: {
    readonly name?: string
    readonly uid?: string
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[]
  }
}

/** Flags for the server that make it keep the record, in a folder of the caller's. */
export function auditFlags(directory: string): readonly string[] {
  writeFileSync(join(directory, "audit-policy.yaml"), JSON.stringify(policy))
  return [`--audit-policy-file=${join(directory, "audit-policy.yaml")}`, `--audit-log-path=${logIn(directory)}`]
}

export function readAudit(directory: string): readonly AuditEntry[] {
  const lines = readFileSync(logIn(directory), "utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as AuditEntry)
}

/** Names of what was made of a resource for an owner, one for each time: "Job/sums". */
export function madeFor(entries: readonly AuditEntry[], resource: string, owner: string): readonly string[] {
  return entries
    .filter(
      ({ verb, objectRef, responseStatus }) =>
        verb === "create" && objectRef?.resource === resource && !objectRef.subresource && responseStatus?.code === 201,
    )
    .filter(({ responseObject }) => responseObject?.metadata?.ownerReferences?.some(({ kind, name }) => `${kind}/${name}` === owner))
    .map(({ responseObject }) => responseObject?.metadata?.name ?? "")
}

/** "403 create pods as system:…": what was refused, each once, with how often. */
export function refusals(entries: readonly AuditEntry[], user: RegExp): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const {
    verb,
    objectRef,
    responseStatus,
    user: { username },
    requestURI,
  } of entries) {
    if (responseStatus?.code !== 403 || !user.test(username)) continue
    // A namespace that ends takes nothing new in; that is no matter of rights.
    if (/because it is being terminated/.test(responseStatus.message ?? "")) continue
    const what = objectRef?.resource === undefined ? requestURI : [objectRef.resource, objectRef.subresource].filter(Boolean).join("/")
    const text = `${username} may not ${verb} ${what}: ${responseStatus.message ?? ""}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

function logIn(directory: string): string {
  return join(directory, "audit.log")
}
