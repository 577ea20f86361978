import { join } from "node:path"
import { nodes } from "@pilothouse/api/core/v1"
import { createClient, type DefaultTransportOptions } from "@pilothouse/runtime"
import { type Clock, type Files, messageOf, type Transport } from "@pilothouse/seams"
import type { ConnectionOptions } from "../client/connection.ts"
import { type Finding, note, ok, problem } from "./check.ts"

/** More than this, and leases and tokens begin to go wrong. */
const maxSkew = 5000

const permissions = [
  { verb: "list", group: "", resource: "pods" },
  { verb: "create", group: "", resource: "pods" },
  { verb: "update", group: "apps", resource: "deployments" },
  { verb: "update", group: "coordination.k8s.io", resource: "leases" },
] as const

/** The API server: is it there, which one is it, does its clock agree with ours, and may we do what the controllers do? */
export async function checkCluster(transport: Transport, server: string, clock: Clock): Promise<readonly Finding[]> {
  const asked = clock.now()
  try {
    const { status, headers, body } = await transport({ verb: "GET", path: "/version", query: {}, headers: { accept: "application/json" } })
    if (status !== 200)
      return [unanswered(`${server} answered ${status} to GET /version`, "check the credentials of the kubeconfig and try again")]
    const version = body.type === "value" ? body.value : JSON.parse(body.type === "bytes" ? new TextDecoder().decode(body.bytes) : "{}")
    return [
      ok("API server", `${server} answers in ${clock.now() - asked} ms`),
      ok("its version", String((version as { readonly gitVersion?: string }).gitVersion)),
      clockFinding(headers.date, clock.now()),
      await nodeFinding(transport).catch((error: unknown) => unseen("nodes", error)),
      await permissionFinding(transport).catch((error: unknown) => unseen("permissions", error)),
    ]
  } catch (error) {
    return [unanswered(messageOf(error), 'start a cluster with "pilothouse up", or name another kubeconfig with --kubeconfig')]
  }
}

function unanswered(found: string, advice: string): Finding {
  return { ...problem("API server", found, advice), notMade: ["its version", "clock", "nodes", "permissions"] }
}

/** One question that is not answered says nothing of the others. */
function unseen(what: string, error: unknown): Finding {
  return { ...note(what, messageOf(error), "ask as a user who may see it, if it matters to you"), notMade: [what] }
}

function clockFinding(date: string | undefined, now: number): Finding {
  if (date === undefined)
    return note("clock", "the server does not say what time it has", "compare the two clocks by hand if leases expire too early")
  const skew = Math.abs(Date.parse(date) - now)
  // The header has whole seconds only.
  if (skew < maxSkew) return ok("clock", "agrees with the server's")
  return problem("clock", `${Math.round(skew / 1000)} s apart from the server's`, "set the clock of this machine, or let NTP do it")
}

async function nodeFinding(transport: Transport): Promise<Finding> {
  const { items } = await createClient(transport).list(nodes)
  const ready = items.filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"))
  if (items.length === 0) return note("nodes", "none", 'no pod can run; "pilothouse up --nodes 3" has three')
  const found = `${ready.length} of ${items.length} Ready`
  return ready.length === items.length
    ? ok("nodes", found)
    : problem("nodes", found, 'see "pilothouse get nodes" and "pilothouse explain node/NAME"')
}

async function permissionFinding(transport: Transport): Promise<Finding> {
  const answers = await Promise.all(permissions.map((one) => mayWe(transport, one)))
  const refused = permissions.filter((_, index) => !answers[index]).map(({ verb, resource }) => `${verb} ${resource}`)
  if (refused.length === 0) return ok("permissions", "enough for every controller, as far as asked")
  return problem("permissions", `may not ${refused.join(", ")}`, "bind the roles of deploy/rbac.yaml to this user")
}

async function mayWe(transport: Transport, attributes: (typeof permissions)[number]): Promise<boolean> {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { ...attributes, namespace: "default" } },
  }
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
  const answer = await createClient(transport).request({ verb: "POST", path, body: { type: "value", value: review } })
  return (answer as { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true
}

/**
 * A user who names a data directory means the cluster that keeps its data there: before $KUBECONFIG, and after a flag that names a kubeconfig.
 * Undefined: the usual one. As of the one in this directory, only what `up` writes is taken from it.
 */
export function kubeconfigIn(
  named: string | undefined,
  { kubeconfig }: ConnectionOptions,
  files: Pick<Files, "facts">,
): Pick<DefaultTransportOptions, "kubeconfig" | "inlineOnly"> | undefined {
  if (named === undefined || kubeconfig !== undefined) return undefined
  const path = join(named, "kubeconfig")
  return files.facts(path) === undefined ? undefined : { kubeconfig: path, inlineOnly: true }
}
