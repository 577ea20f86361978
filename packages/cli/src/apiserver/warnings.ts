import { admissionPluginNames, admissionPlugins, unsupportedAdmissionPlugins } from "@pilothouse/apiserver"
import { closest, messageOf, PilothouseError } from "@pilothouse/seams"
import type { ApiServerFlags } from "./start.ts"

/** What works otherwise than in a kube-apiserver with the same flags. Throws for what would be dangerous to take. */
export function warningsFor(flags: ApiServerFlags): readonly string[] {
  checkPlugins(flags)
  return [
    ...authorizationWarnings(flags.authorizationMode ?? []),
    ...storageWarnings(flags),
    ...tlsWarnings(flags),
    ...admissionWarnings(flags),
  ]
}

/** Those of every cluster that kubeadm makes. */
const notAskedYet: ReadonlySet<string> = new Set(["Node", "RBAC"])

function authorizationWarnings(modes: readonly string[]): readonly string[] {
  const unknown = modes.find((mode) => mode !== "AlwaysAllow" && !notAskedYet.has(mode))
  if (unknown !== undefined) {
    throw new PilothouseError("USAGE", `expected AlwaysAllow, Node or RBAC for --authorization-mode, found "${unknown}"`)
  }
  if (!modes.some((mode) => notAskedYet.has(mode))) return []
  return [
    `WARNING: --authorization-mode=${modes.join(",")} is not enforced yet: roles and bindings are stored, and every authenticated user may do EVERYTHING`,
  ]
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
  return absent.length === 0 ? [] : [`--enable-admission-plugins: not here yet, and so not asked: ${absent.join(", ")}`]
}
