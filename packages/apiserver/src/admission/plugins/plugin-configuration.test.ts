import { expect, test } from "vitest"
import { readPluginConfiguration } from "./plugin-configuration.ts"

const podSecurity = { apiVersion: "pod-security.admission.config.k8s.io/v1", kind: "PodSecurityConfiguration" }
const limits = { apiVersion: "eventratelimit.admission.k8s.io/v1alpha1", kind: "Configuration" }

test("what a configuration of Pod Security leaves out is upstream's default", () => {
  const part = { ...podSecurity, defaults: { enforce: "baseline", "warn-version": "v1.30" }, exemptions: { namespaces: ["kube-system"] } }
  expect(readPluginConfiguration(new Map([["PodSecurity", part]]))).toEqual({
    PodSecurity: {
      defaults: {
        enforce: { level: "baseline", version: "latest" },
        audit: { level: "privileged", version: "latest" },
        warn: { level: "privileged", version: "v1.30" },
      },
      exemptions: { usernames: [], namespaces: ["kube-system"], runtimeClasses: [] },
    },
  })
})

test.each([
  ["another kind", "PodSecurity", { ...podSecurity, kind: "Pod" }, "expected a PodSecurityConfiguration"],
  [
    "a level that is none",
    "PodSecurity",
    { ...podSecurity, defaults: { enforce: "x" } },
    'PodSecurity invalid: defaults.enforce: Invalid value: "x": must be one of',
  ],
  [
    "a version that is none",
    "PodSecurity",
    { ...podSecurity, defaults: { "audit-version": "1" } },
    'defaults.audit-version: Invalid value: "1": must be "latest" or "v1.x"',
  ],
  [
    "a namespace twice",
    "PodSecurity",
    { ...podSecurity, exemptions: { namespaces: ["a", "a"] } },
    'exemptions.namespaces[1]: Duplicate value: "a"',
  ],
  ["a user without a name", "PodSecurity", { ...podSecurity, exemptions: { usernames: [""] } }, "username must not be empty"],
  [
    "a default with a slip",
    "PodSecurity",
    { ...podSecurity, defaults: { enforced: "restricted" } },
    'strict decoding error: unknown field "defaults.enforced"',
  ],
  [
    "an exemption with a slip",
    "PodSecurity",
    { ...podSecurity, exemptions: { namespace: ["a"] } },
    'strict decoding error: unknown field "exemptions.namespace"',
  ],
  ["no limits", "EventRateLimit", limits, "EventRateLimit invalid: limits: Invalid value"],
  [
    "a limit without a rate",
    "EventRateLimit",
    { ...limits, limits: [{ type: "Server", burst: 1 }] },
    "limits[0].qps: Invalid value: 0: must be positive",
  ],
  ["a time that is too long", "ImagePolicyWebhook", { imagePolicy: { allowTTL: 3600 } }, "valid value is between 1s and 30m, got 1h"],
  [
    "a text in place of a boolean",
    "ImagePolicyWebhook",
    { imagePolicy: { defaultAllow: "true" } },
    "expected a boolean in imagePolicy.defaultAllow",
  ],
])("refuses %s", (_what, plugin, part, message) => {
  expect(() => readPluginConfiguration(new Map([[plugin, part]]))).toThrow(message)
})

test("reads the node selectors of namespaces and the tolerations of pods", () => {
  const tolerations = { apiVersion: "podtolerationrestriction.admission.k8s.io/v1alpha1", kind: "Configuration", whitelist: [{ key: "a" }] }
  const read = readPluginConfiguration(
    new Map<string, unknown>([
      ["PodNodeSelector", { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "a=b" } }],
      ["PodTolerationRestriction", tolerations],
    ]),
  )
  expect(read).toEqual({ PodNodeSelector: { clusterDefaultNodeSelector: "a=b" }, PodTolerationRestriction: tolerations })
})

test("times of an image policy are seconds and milliseconds, 0 for the default and -1 for none", () => {
  const imagePolicy = { kubeConfigFile: "/k", allowTTL: 60, denyTTL: -1, retryBackoff: 0, defaultAllow: true }
  expect(readPluginConfiguration(new Map([["ImagePolicyWebhook", { imagePolicy }]]))).toEqual({
    ImagePolicyWebhook: { kubeConfigFile: "/k", allowTtl: 60_000, denyTtl: 0, retryBackoff: 500, defaultAllow: true },
  })
})
