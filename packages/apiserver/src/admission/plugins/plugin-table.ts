import { nodeRestriction } from "../node-restriction/node-restriction.ts"
import { type AdmissionPlugin, refusal } from "../plugin.ts"
import { podSecurity } from "../pod-security/pod-security.ts"
import type { ImagePolicyOptions } from "../pods/image-policy-webhook.ts"
import { podTopologyLabels } from "../pods/pod-topology-labels.ts"
import { runtimeClass } from "../pods/runtime-class.ts"
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

/** What some of the plugins are made with. */
export interface PluginOptions {
  /** As --admission-control-config-file. */
  readonly configuration?: PluginConfiguration
  /** The webhook of ImagePolicyWebhook, which its configuration names. */
  readonly imagePolicy?: ImagePolicyOptions
}

const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  admit(attributes) {
    throw refusal(attributes, "admission control is denying all modifications")
  },
}

const certificateRequests = "certificates.k8s.io/certificatesigningrequests"

/** The order of upstream's AllOrderedPlugins, which matters: defaults before checks, quota after all other plugins. */
const table: readonly (AdmissionPlugin | ((options: PluginOptions) => AdmissionPlugin))[] = [
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
  ({ imagePolicy }) =>
    lazyPlugin("ImagePolicyWebhook", ["pods", "pods/ephemeralcontainers"], async () =>
      (await import("../pods/image-policy-webhook.ts")).imagePolicyWebhook(imagePolicy),
    ),
  ({ configuration }) => podSecurity(configuration?.PodSecurity),
  ({ configuration }) =>
    lazyPlugin("PodNodeSelector", ["pods"], async () =>
      (await import("../pods/pod-node-selector.ts")).podNodeSelector(configuration?.PodNodeSelector),
    ),
  priority,
  defaultTolerationSeconds,
  ({ configuration }) =>
    lazyPlugin("PodTolerationRestriction", ["pods"], async () =>
      (await import("../pods/pod-toleration-restriction.ts")).podTolerationRestriction(configuration?.PodTolerationRestriction),
    ),
  ({ configuration }) =>
    lazyPlugin("EventRateLimit", ["events", "events.k8s.io/events"], async () =>
      (await import("./event-rate-limit.ts")).eventRateLimit(configuration?.EventRateLimit ?? []),
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

/** Returns all plugins of a server in their order, those too that are off. */
export function orderedPlugins(options: PluginOptions): readonly AdmissionPlugin[] {
  return table.map((row) => (typeof row === "function" ? row(options) : row))
}
