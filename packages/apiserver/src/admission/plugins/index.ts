import { PilothouseError } from "@pilothouse/seams"
import type { AdmissionPlugin } from "../plugin.ts"
import { paramAccessCheck } from "../policy/param-access-check.ts"
import { lazyPlugin } from "./lazy-plugin.ts"
import { orderedPlugins, type PluginOptions } from "./plugin-table.ts"
import { serviceAccount } from "./service-account.ts"
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts"
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts"

/** On a server that does not serve the kind no request reaches it. */
const podCertificateSigningCheck = lazyPlugin(
  "pod-certificate-signing-check",
  ["certificates.k8s.io/podcertificaterequests/status"],
  async () => (await import("./pod-certificate-signing-check.ts")).podCertificateSigningCheck,
)

const claims = "resource.k8s.io/resourceclaims"
const claimAccessCheck = lazyPlugin(
  "claim-access-check",
  [claims, `${claims}/status`, "resource.k8s.io/resourceclaimtemplates"],
  async () => (await import("../devices/claim-access-check.ts")).claimAccessCheck,
)

const privilegedCheck = lazyPlugin("privileged-check", "all", async () => (await import("../pods/privileged-check.ts")).privilegedCheck)

/** All of them, in their order. */
export const admissionPluginNames: readonly string[] = orderedPlugins({}).map(({ name }) => name)

/** As upstream: a cluster has them because its administrator names them. */
const offUnlessNamed: ReadonlySet<string> = new Set([
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "OwnerReferencesPermissionEnforcement",
  "PodNodeSelector",
  "PodTolerationRestriction",
])

/** They are about Workloads, which are not served here: the names are known, and do nothing, as upstream's where the alpha gate GenericWorkload is off. */
export const unsupportedAdmissionPlugins: readonly string[] = ["JobValidation", "PodGroupWorkloadExists"]

/** Those that are on in a kube-apiserver whose flags name none. */
export const defaultAdmissionPluginNames: readonly string[] = admissionPluginNames.filter((name) => !offUnlessNamed.has(name))

/** Each of them leaves something to a controller (accounts, taints, finalizers): without that controller it would block its kind, so a cluster that runs the controller turns the plugin on. */
const needControllers: ReadonlySet<string> = new Set([serviceAccount.name, taintNodesByCondition.name, storageObjectInUseProtection.name])

/** The names are those of --enable-admission-plugins and --disable-admission-plugins. */
export interface AdmissionOptions extends PluginOptions {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  /** As --allow-privileged; true by default, as every installer sets it. */
  readonly allowPrivileged?: boolean
}

/**
 * Returns the plugins that run, in kube-apiserver's order. Throws INVALID for unknown names and for one that is both enabled and
 * disabled.
 */
export function admissionPlugins(options: AdmissionOptions = {}): readonly AdmissionPlugin[] {
  const { enable = [], disable = [] } = options
  refuseUnknown("enable-admission-plugins", enable)
  refuseUnknown("disable-admission-plugins", disable)
  const both = enable.filter((name) => disable.includes(name))
  if (both.length > 0) {
    throw new PilothouseError("INVALID", `[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`)
  }
  const isOn = (name: string) => enable.includes(name) || !(disable.includes(name) || offUnlessNamed.has(name) || needControllers.has(name))
  // These checks are no plugins of upstream's, and cannot be turned off.
  const checks = [
    paramAccessCheck,
    claimAccessCheck,
    podCertificateSigningCheck,
    ...(options.allowPrivileged === false ? [privilegedCheck] : []),
  ]
  return [...checks, ...orderedPlugins(options).filter(({ name }) => isOn(name))]
}

function refuseUnknown(option: string, names: readonly string[]): void {
  const unknown = names.find((name) => !admissionPluginNames.includes(name) && !unsupportedAdmissionPlugins.includes(name))
  if (unknown === undefined) return
  throw new PilothouseError("INVALID", `${option} plugin "${unknown}" is unknown; there are ${admissionPluginNames.join(", ")}`)
}
