import { absentAdmissionPlugins } from "@pilothouse/apiserver"
import { PilothouseError } from "@pilothouse/seams"
import type { ApiServerFlags } from "./start.ts"

/** What works otherwise than in a kube-apiserver with the same flags. Throws for what would be dangerous to take. */
export function warningsFor(flags: ApiServerFlags): readonly string[] {
  return [...authorizationWarnings(flags.authorizationMode ?? []), ...storageWarnings(flags), ...admissionWarnings(flags)]
}

function authorizationWarnings(modes: readonly string[]): readonly string[] {
  const unknown = modes.find((mode) => mode !== "AlwaysAllow" && mode !== "RBAC")
  if (unknown !== undefined) {
    throw new PilothouseError("USAGE", `expected AlwaysAllow or RBAC for --authorization-mode, found "${unknown}"`)
  }
  if (!modes.includes("RBAC")) return []
  return ["--authorization-mode=RBAC: roles are kept, but not asked yet: everything for authenticated users"]
}

function storageWarnings({ etcdServers }: ApiServerFlags): readonly string[] {
  return etcdServers === undefined ? [] : ["--etcd-servers is not used: storage is our own, in --data-dir (or in memory with --ephemeral)"]
}

function admissionWarnings({ enableAdmissionPlugins = [] }: ApiServerFlags): readonly string[] {
  const absent = enableAdmissionPlugins.filter((name) => absentAdmissionPlugins.includes(name))
  return absent.length === 0 ? [] : [`--enable-admission-plugins: not here yet, and so not asked: ${absent.join(", ")}`]
}
