import { type SampleObject, sample } from "./object.ts"

const rules = [
  { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get", "list"] },
  { apiGroups: ["apps"], resources: ["*"], verbs: ["*"], resourceNames: ["a"] },
]
const subjects = [
  { kind: "User", name: "u" },
  { kind: "ServiceAccount", name: "rich", namespace: "judged" },
  { kind: "Group", name: "g" },
]
// Webhooks and policies are really in force: they match a resource that no test requests.
const matched = [{ apiGroups: ["none.test"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothing"] }]
const webhooks = ["a", "b"].map((name) => ({
  name: `${name}.hook.test`,
  clientConfig: { service: { namespace: "judged", name: "hook" } },
  rules: matched,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Ignore",
}))

// CN=user: made once with openssl req, because a request must be signed by the key it carries.
const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlHT01FSUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWRYTmxjakFxTUFVR0F5dGxjQU1oQUhTWCt3WG9wd0tsSGc0UgpiVG5CWm94cWpiMzdCK3JCWGJWaHlLWlcrazNHb0FBd0JRWURLMlZ3QTBFQS9lT21VcFJnNEZtZXRVTG1VRmVlCkpwWE4wUERnNyt3SFI0RzdtQ2gvSEtGeHZTbkNVVWpISTJaS29hUlkva1FoR0hIa1VhNHViT0p6KzhOUjJSbC8KRHc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K"

export const access: readonly SampleObject[] = [
  sample("rbac.authorization.k8s.io/v1", "Role", "small", { rules }),
  sample("rbac.authorization.k8s.io/v1", "ClusterRole", "aggregated", {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
  }),
  sample("rbac.authorization.k8s.io/v1", "ClusterRole", "paths", { rules: [...rules, { nonResourceURLs: ["/healthz"], verbs: ["get"] }] }),
  sample("rbac.authorization.k8s.io/v1", "RoleBinding", "small", { roleRef: { kind: "Role", name: "small" }, subjects }),
  sample("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "small", { roleRef: { kind: "ClusterRole", name: "paths" }, subjects }),
  sample("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "rich", {
    webhooks: webhooks.map(({ failurePolicy: _default, ...rest }) => ({
      ...rest,
      matchConditions: [{ name: "never", expression: "false" }],
    })),
  }),
  sample("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "rich", {
    webhooks: webhooks.map((hook) => ({
      ...hook,
      clientConfig: { url: "https://hook.test/x" },
      namespaceSelector: { matchLabels: { a: "b" } },
    })),
  }),
  sample("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "small", {
    spec: {
      matchConstraints: { resourceRules: matched },
      validations: [{ expression: "true", messageExpression: "'m'" }],
      variables: [{ name: "v", expression: "1" }],
    },
  }),
  sample("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "small", {
    spec: { policyName: "small", validationActions: ["Warn", "Audit"] },
  }),
  sample("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "small", {
    spec: {
      reinvocationPolicy: "Never",
      matchConstraints: { resourceRules: matched },
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
    },
  }),
  sample("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", "small", {
    spec: { policyName: "small", paramRef: { name: "p", parameterNotFoundAction: "Deny" } },
  }),
  sample("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "small", {
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Queue", queuing: { queues: 8 } } } },
  }),
  sample("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "small", {
    spec: {
      priorityLevelConfiguration: { name: "small" },
      rules: [
        { subjects: [{ kind: "User", user: { name: "guest" } }], nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/none"] }] },
      ],
    },
  }),
  sample("certificates.k8s.io/v1", "CertificateSigningRequest", "small", {
    spec: {
      request,
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth", "digital signature"],
      expirationSeconds: 600,
    },
  }),
  sample("apiextensions.k8s.io/v1", "CustomResourceDefinition", "things.judged.test", {
    spec: {
      group: "judged.test",
      names: { kind: "Thing", plural: "things" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
          selectableFields: [{ jsonPath: ".spec.a" }],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  default: { a: "x" },
                  properties: {
                    a: { type: "string", enum: ["x", "y"], default: "x" },
                    n: { type: "integer", minimum: 1, maximum: 1.5e3 },
                    l: { type: "array", items: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
                  },
                },
              },
            },
          },
          subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
        },
      ],
    },
  }),
]
