import { PilothouseError } from "@pilothouse/seams"
import { nodeRestriction } from "../node-restriction/node-restriction.ts"
import { type AdmissionPlugin, refusal } from "../plugin.ts"
import { podSecurity } from "../pod-security/pod-security.ts"
import type { ImagePolicyOptions } from "../pods/image-policy-webhook.ts"
import { podTopologyLabels } from "../pods/pod-topology-labels.ts"
import { runtimeClass } from "../pods/runtime-class.ts"
import { paramAccessCheck } from "../policy/param-access-check.ts"
import { mutatingAdmissionPolicy, validatingAdmissionPolicy } from "../policy/plugins.ts"
import { resourceQuota } from "../quota/resource-quota.ts"
import { mutatingAdmissionWebhook, validatingAdmissionWebhook } from "../webhook/plugins.ts"
import { defaultStorageClass } from "./default-storage-class.ts"
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts"
import { lazyPlugin } from "./lazy-plugin.ts"
import { limitRanger } from "./limit-ranger.ts"
import { namespaceLifecycle } from "./namespace-lifecycle.ts"
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts"
import type { PluginConfiguration } from "./plugin-configuration.ts"
import { priority } from "./priority.ts"
import { serviceAccount } from "./service-account.ts"
import { podGroupProtection, storageObjectInUseProtection } from "./storage-object-in-use-protection.ts"
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts"
import { unsupportedAdmissionPlugins } from "./unsupported-plugins.ts"

const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  admit(attributes) {
    throw refusal(attributes, "admission control is denying all modifications")
  },
}

/** The order of upstream's AllOrderedPlugins, which matters: defaults before checks, quota after all other plugins. */
function orderedPlugins({ configuration = {}, imagePolicy }: AdmissionOptions): readonly AdmissionPlugin[] {
  return [...pluginsUntilPriority(configuration, imagePolicy), ...pluginsAfterPriority(configuration)]
}

function pluginsUntilPriority(
  { PodSecurity, PodNodeSelector }: PluginConfiguration,
  imagePolicy: ImagePolicyOptions | undefined,
): readonly AdmissionPlugin[] {
  return [
    { name: "AlwaysAdmit" },
    lazyPlugin(
      "NamespaceAutoProvision",
      "all",
      async () => (await import("../namespaces/namespace-auto-provision.ts")).namespaceAutoProvision,
    ),
    namespaceLifecycle,
    lazyPlugin("NamespaceExists", "all", async () => (await import("../namespaces/namespace-exists.ts")).namespaceExists),
    lazyPlugin(
      "LimitPodHardAntiAffinityTopology",
      ["pods"],
      async () => (await import("../pods/limit-pod-hard-anti-affinity-topology.ts")).limitPodHardAntiAffinityTopology,
    ),
    limitRanger,
    serviceAccount,
    nodeRestriction,
    taintNodesByCondition,
    lazyPlugin("AlwaysPullImages", ["pods"], async () => (await import("../pods/always-pull-images.ts")).alwaysPullImages),
    lazyPlugin("ImagePolicyWebhook", ["pods", "pods/ephemeralcontainers"], async () =>
      (await import("../pods/image-policy-webhook.ts")).imagePolicyWebhook(imagePolicy),
    ),
    podSecurity(PodSecurity),
    lazyPlugin("PodNodeSelector", ["pods"], async () => (await import("../pods/pod-node-selector.ts")).podNodeSelector(PodNodeSelector)),
    priority,
  ]
}

const certificateRequests = "certificates.k8s.io/certificatesigningrequests"
const certificatePlugins: readonly AdmissionPlugin[] = [
  lazyPlugin(
    "CertificateApproval",
    [`${certificateRequests}/approval`],
    async () => (await import("./certificate-plugins.ts")).certificateApproval,
  ),
  lazyPlugin(
    "CertificateSigning",
    [`${certificateRequests}/status`],
    async () => (await import("./certificate-plugins.ts")).certificateSigning,
  ),
  lazyPlugin(
    "ClusterTrustBundleAttest",
    ["certificates.k8s.io/clustertrustbundles"],
    async () => (await import("./trust-bundle-attest.ts")).clusterTrustBundleAttest,
  ),
  lazyPlugin(
    "CertificateSubjectRestriction",
    [certificateRequests],
    async () => (await import("./certificate-plugins.ts")).certificateSubjectRestriction,
  ),
]

/** On a server that does not serve the kind no request reaches it. */
const podCertificateSigningCheck = lazyPlugin(
  "pod-certificate-signing-check",
  ["certificates.k8s.io/podcertificaterequests/status"],
  async () => (await import("./pod-certificate-signing-check.ts")).podCertificateSigningCheck,
)

function pluginsAfterPriority({ PodTolerationRestriction, EventRateLimit = [] }: PluginConfiguration): readonly AdmissionPlugin[] {
  return [
    defaultTolerationSeconds,
    lazyPlugin("PodTolerationRestriction", ["pods"], async () =>
      (await import("../pods/pod-toleration-restriction.ts")).podTolerationRestriction(PodTolerationRestriction),
    ),
    lazyPlugin("EventRateLimit", ["events", "events.k8s.io/events"], async () =>
      (await import("./event-rate-limit.ts")).eventRateLimit(EventRateLimit),
    ),
    lazyPlugin(
      "ExtendedResourceToleration",
      ["pods"],
      async () => (await import("../pods/extended-resource-toleration.ts")).extendedResourceToleration,
    ),
    defaultStorageClass,
    storageObjectInUseProtection,
    podGroupProtection,
    lazyPlugin(
      "OwnerReferencesPermissionEnforcement",
      "all",
      async () => (await import("./owner-references-permission-enforcement.ts")).ownerReferencesPermissionEnforcement,
    ),
    persistentVolumeClaimResize,
    runtimeClass,
    ...certificatePlugins,
    lazyPlugin(
      "DefaultIngressClass",
      ["networking.k8s.io/ingresses"],
      async () => (await import("../network/default-ingress-class.ts")).defaultIngressClass,
    ),
    lazyPlugin(
      "DenyServiceExternalIPs",
      ["services"],
      async () => (await import("../network/deny-service-external-ips.ts")).denyServiceExternalIPs,
    ),
    podTopologyLabels,
    lazyPlugin(
      "NodeDeclaredFeatureValidator",
      ["pods/resize"],
      async () => (await import("../pods/node-declared-feature-validator.ts")).nodeDeclaredFeatureValidator,
    ),
    lazyPlugin("PodResizeValidator", ["pods/resize"], async () => (await import("../pods/pod-resize-validator.ts")).podResizeValidator),
    mutatingAdmissionPolicy,
    mutatingAdmissionWebhook,
    validatingAdmissionPolicy,
    validatingAdmissionWebhook,
    resourceQuota,
    alwaysDeny,
  ]
}

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

/** Those that are on in a kube-apiserver whose flags name none. */
export const defaultAdmissionPluginNames: readonly string[] = admissionPluginNames.filter((name) => !offUnlessNamed.has(name))

/** Each of them leaves something to a controller (accounts, taints, finalizers): without that controller it would block its kind, so a cluster that runs the controller turns the plugin on. */
const needControllers: ReadonlySet<string> = new Set([serviceAccount.name, taintNodesByCondition.name, storageObjectInUseProtection.name])

/** The names are those of --enable-admission-plugins and --disable-admission-plugins. */
export interface AdmissionOptions {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  /** As --admission-control-config-file. */
  readonly configuration?: PluginConfiguration
  /** As --allow-privileged; true by default, as every installer sets it. */
  readonly allowPrivileged?: boolean
  /** The webhook of ImagePolicyWebhook, which its configuration names. */
  readonly imagePolicy?: ImagePolicyOptions
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
