import {
  type AuthorizationMode,
  admissionPluginNames,
  admissionPlugins,
  authorizationModes,
  unsupportedAdmissionPlugins,
} from "@pilothouse/apiserver"
import { closest, messageOf, PilothouseError } from "@pilothouse/seams"
import type { ApiServerFlags } from "./start.ts"

/** Returns warnings about what works otherwise than in a kube-apiserver with the same flags. Throws for what would be dangerous to take. */
export function warningsFor(flags: ApiServerFlags): readonly string[] {
  checkPlugins(flags)
  return [...authorizationWarnings(flags), ...storageWarnings(flags), ...tlsWarnings(flags), ...admissionWarnings(flags)]
}

/** kubeadm's and most clusters': nodes by what their pods need, everyone else by roles and bindings. */
const defaultModes: readonly AuthorizationMode[] = ["Node", "RBAC"]

/** Returns the modes that flags name, in their order; undefined where every authenticated user may do everything. */
export function authorizationModesOf(modes: readonly string[] = defaultModes): readonly AuthorizationMode[] | undefined {
  const known = modes.map(knownMode)
  const again = known.find((mode, index) => known.indexOf(mode) !== index)
  if (again !== undefined) throw new PilothouseError("USAGE", `expected each --authorization-mode once, found "${again}" twice`)
  return known[0] === "AlwaysAllow" ? undefined : known
}

function knownMode(mode: string): AuthorizationMode {
  const known = authorizationModes.find((one) => one === mode)
  if (known !== undefined) return known
  throw new PilothouseError("USAGE", `expected AlwaysAllow, AlwaysDeny, Node, RBAC or Webhook for --authorization-mode, found "${mode}"`)
}

/** A server without RBAC has no rights to give: all that is left is system:masters. */
function authorizationWarnings({ authorizationMode: modes, authorizationConfig }: ApiServerFlags): readonly string[] {
  // What a configuration says is checked where it is read.
  if (authorizationConfig !== undefined || modes?.includes("Webhook")) return []
  const enforced = authorizationModesOf(modes)
  if (enforced === undefined) return ["--authorization-mode=AlwaysAllow: every authenticated user may do everything"]
  if (enforced.some((mode) => mode === "RBAC" || mode === "AlwaysAllow")) return []
  return [`--authorization-mode=${enforced.join()}: without RBAC no role and no binding has an effect`]
}

function storageWarnings({ etcdServers }: ApiServerFlags): readonly string[] {
  return etcdServers === undefined ? [] : ["--etcd-servers is not used: storage is our own, in --data-dir (or in memory with --ephemeral)"]
}

/** Node's TLS has no older one: what was asked for is kept, and more. */
export function tlsWarnings({ tlsMinVersion }: Pick<ApiServerFlags, "tlsMinVersion">): readonly string[] {
  if (tlsMinVersion !== "TLSv1" && tlsMinVersion !== "TLSv1.1") return []
  const asked = tlsMinVersion === "TLSv1" ? "VersionTLS10" : "VersionTLS11"
  return [`--tls-min-version=${asked}: TLS 1.2 is the oldest that is spoken here: older clients are refused`]
}

/** Before anything is made: an unknown plugin is a wrong flag. */
function checkPlugins({ enableAdmissionPlugins: enable = [], disableAdmissionPlugins: disable = [] }: ApiServerFlags): void {
  try {
    admissionPlugins({ enable, disable })
  } catch (error) {
    throw new PilothouseError("USAGE", `${messageOf(error)}${meant([...enable, ...disable])}`, { cause: error })
  }
}

/** Upstream's names are long, and their letters upper and lower case. */
function meant(names: readonly string[]): string {
  const known = [...admissionPluginNames, ...unsupportedAdmissionPlugins]
  const lower = known.map((name) => name.toLowerCase())
  const unknown = names.find((name) => !known.includes(name))?.toLowerCase()
  const near = unknown === undefined ? undefined : closest(unknown, lower)
  return near === undefined ? "" : `; did you mean ${known[lower.indexOf(near)]}?`
}

function admissionWarnings({ enableAdmissionPlugins = [] }: ApiServerFlags): readonly string[] {
  const absent = enableAdmissionPlugins.filter((name) => unsupportedAdmissionPlugins.includes(name))
  return absent.length === 0 ? [] : [`--enable-admission-plugins: no effect here: ${absent.join(", ")}`]
}
