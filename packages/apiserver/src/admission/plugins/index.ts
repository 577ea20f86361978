import { PilothouseError } from "@pilothouse/seams"
import type { AdmissionPlugin } from "../plugin.ts"
import { resourceQuota } from "../quota/resource-quota.ts"
import { defaultStorageClass } from "./default-storage-class.ts"
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts"
import { limitRanger } from "./limit-ranger.ts"
import { namespaceLifecycle } from "./namespace-lifecycle.ts"
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts"
import { priority } from "./priority.ts"
import { serviceAccount } from "./service-account.ts"
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts"
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts"
import { unsupportedAdmissionPlugins } from "./unsupported-plugins.ts"

/** Upstream's order, which matters: defaults before checks, quota when everything else has been said. */
const plugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  taintNodesByCondition,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  resourceQuota,
]

/** All of them, in their order. */
export const admissionPluginNames: readonly string[] = plugins.map(({ name }) => name)

/** Each of them leaves something to a controller (accounts, taints, finalizers): without that controller it would block its kind, so a cluster that runs the controller turns the plugin on. */
const offByDefault: ReadonlySet<string> = new Set([serviceAccount.name, taintNodesByCondition.name, storageObjectInUseProtection.name])

/** The names are those of --enable-admission-plugins and --disable-admission-plugins. */
export interface AdmissionOptions {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
}

export function admissionPlugins({ enable = [], disable = [] }: AdmissionOptions = {}): readonly AdmissionPlugin[] {
  refuseUnknown("enable-admission-plugins", enable)
  refuseUnknown("disable-admission-plugins", disable)
  const both = enable.filter((name) => disable.includes(name))
  if (both.length > 0) {
    throw new PilothouseError("INVALID", `[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`)
  }
  return plugins.filter(({ name }) => enable.includes(name) || !(disable.includes(name) || offByDefault.has(name)))
}

function refuseUnknown(option: string, names: readonly string[]): void {
  const unknown = names.find((name) => !admissionPluginNames.includes(name) && !unsupportedAdmissionPlugins.includes(name))
  if (unknown === undefined) return
  throw new PilothouseError("INVALID", `${option} plugin "${unknown}" is unknown; there are ${admissionPluginNames.join(", ")}`)
}
