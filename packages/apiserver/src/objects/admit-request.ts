import type { KubeObject } from "@pilothouse/api"
import { type AdmissionAttributes, admit, validateAdmission } from "../admission/plugin.ts"
import type { Draft } from "../body/draft.ts"
import { flag } from "../request/list-options.ts"
import type { Call } from "../server/call.ts"
import { admissionAttributes } from "./admission-attributes.ts"

/** Lets admission decide on a request that stores no object of its own: an eviction, a binding, a token, a connection to a pod. It may change the object. */
export async function admitRequest(
  call: Call,
  operation: "CREATE" | "CONNECT",
  kind: NonNullable<AdmissionAttributes["kind"]>,
  object: Draft<KubeObject>,
): Promise<void> {
  const { admission } = call.server
  const attributes = admissionAttributes(call, { operation, kind, object, old: undefined })
  const mutated = admit(admission, attributes)
  if (mutated !== undefined) await mutated
  const validated = validateAdmission(admission, attributes)
  if (validated !== undefined) await validated
}

/** Returns the call for the writes that follow from a request which admission has decided on: they are part of it, and not decided on again. */
export function withoutAdmission(call: Call): Call {
  return { ...call, server: { ...call.server, admission: [] } }
}

/** The parameters of a connection, by subresource. */
const flags: Readonly<Record<string, readonly string[]>> = {
  exec: ["stdin", "stdout", "stderr", "tty"],
  attach: ["stdin", "stdout", "stderr", "tty"],
  portforward: [],
  proxy: [],
}
const kinds: Readonly<Record<string, string>> = { exec: "PodExecOptions", attach: "PodAttachOptions", portforward: "PodPortForwardOptions" }
const proxies: Readonly<Record<string, string>> = { pods: "PodProxyOptions", services: "ServiceProxyOptions", nodes: "NodeProxyOptions" }

/** The parameters of a connection, in the form of PodExecOptions and its like. */
export interface ConnectOptions {
  readonly stdin?: boolean
  readonly stdout?: boolean
  readonly stderr?: boolean
  readonly tty?: boolean
  readonly container?: string
  readonly command?: readonly string[]
  readonly ports?: readonly number[]
  /** What follows "proxy", with a slash in front, and one behind where the request has it; "" where nothing follows. */
  readonly path?: string
}

/** Lets admission decide on a connection: its object is what the parameters say. Returns them as mutating admission leaves them. */
export async function admitConnect(call: Call): Promise<ConnectOptions> {
  const { query, subresource, resource } = call
  const kind = kinds[subresource] ?? proxies[resource.descriptor.plural] ?? ""
  const list = (name: string) => [query[name] ?? []].flat()
  const options = {
    kind,
    apiVersion: "v1",
    ...Object.fromEntries((flags[subresource] ?? []).filter((name) => flag(query, name)).map((name) => [name, true])),
    ...(list("container")[0] !== undefined && { container: list("container")[0] }),
    ...(subresource === "exec" && { command: list("command") }),
    ...(subresource === "portforward" && list("ports").length > 0 && { ports: list("ports").map(Number) }),
    ...(subresource === "proxy" && { ...proxiedPath(call) }),
  }
  await admitRequest(call, "CONNECT", { group: "", version: "v1", kind }, options as unknown as Draft<KubeObject>)
  return options as ConnectOptions
}

function proxiedPath({ rest, sent }: Call): Pick<ConnectOptions, "path"> {
  const path = rest.length === 0 ? "" : `/${rest.join("/")}`
  const slash = sent.path.endsWith("/") && !path.endsWith("/") ? "/" : ""
  return path + slash === "" ? {} : { path: path + slash }
}
