import { type Step, subject } from "../step.ts"

// What reads the same and is another value in Go's memory, where upstream compares that.
const range = subject("/api/v1/namespaces/default/limitranges", "forms")
const policy = subject("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", "forms")
const hooks = subject("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "forms")
const role = subject("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", "forms")
const slice = subject("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", "forms")
const pod = subject("/api/v1/namespaces/default/podtemplates", "forms")
const scaler = subject("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", "forms")
const service = subject("/api/v1/namespaces/default/services", "forms")
const named = { metadata: { name: "forms" } }

const limits = (storage: string) => ({ ...named, spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage } }] } })
const isolated = (spec: object) => ({ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", ...named, spec })
const hook = (change: object) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  ...named,
  webhooks: [
    { name: "a.hook.test", clientConfig: { url: "https://hook.test" }, sideEffects: "None", admissionReviewVersions: ["v1"], ...change },
  ],
})
const rules = (change: object) => ({ ...named, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], ...change }] })
const spec = (change: object) => ({ ...named, template: { spec: { containers: [{ name: "c", image: "i" }], ...change } } })
const scaled = (averageValue: string) => ({
  ...named,
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
    metrics: [{ type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue } } }],
  },
})
const exposed = (change: object = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  ...named,
  spec: { ports: [{ port: 80, protocol: "TCP" }], ...change },
  status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
})
const other = { manager: "m2" }

export const variantForms: readonly Step[] = [
  range.create("a limit", limits("1Ti")),
  range.update("the same limit by another manager", limits("1Ti"), other),
  ...["1024Gi", "1.0Ti", "1Ti", "16Gi", "16384Mi", "2Gi", "2048Mi", "500m", "0.5", "1e3", "1000"].flatMap((storage, at) => [
    range.update(`a limit of ${storage}`, limits(storage), { manager: `m${3 + (at % 3)}` }),
    range.merge(`a limit of ${storage} as a merge patch`, limits(storage), { manager: `n${at % 3}` }),
  ]),
  range.apply("a limit in another text is applied", { apiVersion: "v1", kind: "LimitRange", ...limits("1000000m") }),
  scaler.create("an autoscaler", scaled("1")),
  scaler.update("its metric in another text", scaled("1000m"), other),
  scaler.merge("a merge patch beside the metric", { spec: { minReplicas: 2 } }, { manager: "m3" }),
  policy.create("a policy with empty parts", isolated({ podSelector: { matchLabels: {} }, ingress: [] })),
  policy.update("a policy without", isolated({ podSelector: {} }), other),
  policy.update("an empty map", isolated({ podSelector: { matchLabels: {} } }), other),
  policy.update("empty policy types, which are defaulted", isolated({ podSelector: {}, policyTypes: [] }), other),
  policy.update("an empty list", isolated({ podSelector: {}, ingress: [] }), other),
  policy.update("an empty list in an item", isolated({ podSelector: {}, ingress: [{ from: [] }] }), other),
  policy.update("the same item without", isolated({ podSelector: {}, ingress: [{}] }), { manager: "m3" }),
  policy.strategic("a strategic patch with an empty map", { spec: { podSelector: { matchLabels: {} } } }, { manager: "m4" }),
  policy.merge("a merge patch of the metadata", { metadata: { labels: { a: "b" } } }, { manager: "m4" }),
  policy.update(
    "an expression with empty values",
    isolated({ podSelector: { matchExpressions: [{ key: "a", operator: "Exists", values: [] }] } }),
    { manager: "m5" },
  ),
  policy.update("the same expression without values", isolated({ podSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] } }), {
    manager: "m6",
  }),
  policy.update(
    "the same expression with empty values again",
    isolated({ podSelector: { matchExpressions: [{ key: "a", operator: "Exists", values: [] }] } }),
    { manager: "m7" },
  ),
  policy.force("an empty map is applied", isolated({ podSelector: { matchLabels: {} } })),
  policy.force("an empty list is applied", isolated({ podSelector: {}, egress: [] })),
  hooks.create("a webhook", hook({})),
  hooks.update("empty rules", hook({ rules: [] }), other),
  hooks.update("empty selectors", hook({ namespaceSelector: { matchLabels: {} }, objectSelector: {} }), other),
  hooks.update("empty bytes", hook({ clientConfig: { url: "https://hook.test", caBundle: "" } }), other),
  hooks.update("the same again", hook({}), other),
  hooks.force("no webhooks are applied", { ...hook({}), webhooks: [] }),
  hooks.update("no webhooks", { ...hook({}), webhooks: [] }, other),
  hooks.update("no webhooks, not even a list", { ...hook({}), webhooks: undefined }, { manager: "m3" }),
  role.create("a role", rules({})),
  role.update("a rule with empty names", rules({ resourceNames: [] }), other),
  role.update("a rule without names", rules({}), { manager: "m3" }),
  role.strategic("a strategic patch with empty names", rules({ nonResourceURLs: [] }), { manager: "m4" }),
  role.update("no rules", { ...named, rules: [] }, { manager: "m5" }),
  role.update("null as rules", { ...named, rules: null }, { manager: "m6" }),
  role.update("an empty list of rules again", { ...named, rules: [] }, { manager: "m7" }),
  role.remove("it is deleted"),
  role.create("a role without rules", { ...named, rules: [] }),
  role.remove("it is deleted again"),
  role.create("a role with null as rules", { ...named, rules: null }),
  role.json("a JSON patch to an empty list", [{ op: "replace", path: "/rules", value: [] }], other),
  role.merge("a merge patch of the metadata", { metadata: { labels: { a: "b" } } }, { manager: "m3" }),
  slice.create("an endpoint slice with empty lists", { ...named, addressType: "IPv4", endpoints: [], ports: [] }),
  slice.update("without lists", { ...named, addressType: "IPv4", endpoints: null }, other),
  slice.update("with one of the lists", { ...named, addressType: "IPv4", endpoints: [], ports: null }, { manager: "m3" }),
  pod.create("a pod template", spec({ tolerations: [{ key: "a", operator: "Exists" }], dnsConfig: { nameservers: ["10.0.0.1"] } })),
  pod.update(
    "empty lists in parts that are owned as a whole and that are not",
    spec({ tolerations: [{ key: "a", operator: "Exists" }], dnsConfig: { nameservers: ["10.0.0.1"], searches: [] }, volumes: [] }),
    other,
  ),
  pod.update(
    "empty lists in the terms of an affinity",
    spec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
          },
        },
      },
    }),
    { manager: "m3" },
  ),
  pod.update(
    "the same with empty values",
    spec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists", values: [] }], matchFields: [] }],
          },
        },
      },
    }),
    { manager: "m4" },
  ),
  service.sub("status").merge("a patch of the status of no Service", { status: { loadBalancer: {} } }),
  service.sub("status").apply("an apply of the status alone", { apiVersion: "v1", kind: "Service", ...named, status: exposed().status }),
  service.sub("status").apply("an apply of the status that creates a Service", exposed()),
  service.read("the Service has no address"),
  service.sub("status").apply("the status is applied again", exposed()),
  service.merge("a patch of the Service", { spec: { publishNotReadyAddresses: true } }, other),
  service.apply("an apply of the Service", { ...exposed({ type: "NodePort" }), status: undefined }, { manager: "m3" }),
  service.remove("it is deleted"),
  service.sub("status").update("an update of the status that creates a Service", exposed({ type: "NodePort" })),
  service.update("an update of the Service", exposed({ type: "NodePort" }), other),
  service.remove("it is deleted again"),
  service.create("a Service", exposed()),
  service.merge(
    "it becomes external",
    { spec: { type: "ExternalName", externalName: "a.test", clusterIP: null, clusterIPs: null } },
    other,
  ),
  service.read("the external Service has no traffic policy"),
  service.remove("it is deleted once more"),
  service.create(
    "an external Service with a policy",
    exposed({ type: "ExternalName", externalName: "a.test", internalTrafficPolicy: "Local" }),
  ),
  service.merge("a patch beside the policy", { metadata: { labels: { a: "b" } } }, other),
]
