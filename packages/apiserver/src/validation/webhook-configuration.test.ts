import { formatFieldError } from "@pilothouse/api"
import type { MutatingWebhook } from "@pilothouse/api/admissionregistration/v1"
import { describe, expect, test } from "vitest"
import { webhookErrors } from "./webhook-configuration.ts"

const rule = { operations: ["CREATE"], apiGroups: ["a"], apiVersions: ["v1"], resources: ["pods"] }
const good = {
  name: "webhook.k8s.io",
  clientConfig: { url: "https://example.com/f" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [rule],
}
const errorsOf = (webhooks: readonly object[], old?: readonly object[]) =>
  webhookErrors(webhooks as unknown as readonly MutatingWebhook[], old as unknown as readonly MutatingWebhook[]).map(formatFieldError)
const ruled = (more: object) => ({ rules: [{ ...rule, ...more }] })
const service = (more: object) => ({ clientConfig: { service: { name: "n", namespace: "ns", port: 443, ...more } } })
const url = (text: string) => ({ clientConfig: { url: text } })

test("of a path with thousands of faults a hundred are named: each error shows the whole path", () => {
  const errors = errorsOf([{ ...good, ...service({ path: `/${"A/".repeat(6000)}` }) }])
  expect(errors).toHaveLength(100)
  expect(errors[99]).toContain("segment[99]: a lowercase RFC 1123 subdomain must consist of")
})

describe("a webhook is refused", () => {
  const rows: Record<string, [object, string]> = {
    "without a name": [{ name: "" }, "webhooks[0].name: Required value"],
    "with a name of two segments": [
      { name: "k8s.io" },
      'webhooks[0].name: Invalid value: "k8s.io": should be a domain with at least three segments separated by dots',
    ],
    "with a capital in its name": [{ name: "Web.hook.k8s.io" }, "a lowercase RFC 1123 subdomain must consist of"],
    "without operations": [ruled({ operations: [] }), "webhooks[0].rules[0].operations: Required value"],
    "with a star among operations": [
      ruled({ operations: ["CREATE", "*"] }),
      `webhooks[0].rules[0].operations: Invalid value: ["CREATE","*"]: if '*' is present, must not specify other operations`,
    ],
    "with an operation that does not exist": [
      ruled({ operations: ["WATCH"] }),
      'webhooks[0].rules[0].operations[0]: Unsupported value: "WATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
    "without groups": [ruled({ apiGroups: [] }), "webhooks[0].rules[0].apiGroups: Required value"],
    "with a star among groups": [ruled({ apiGroups: ["*", "a"] }), "if '*' is present, must not specify other API groups"],
    "without versions": [ruled({ apiVersions: [] }), "webhooks[0].rules[0].apiVersions: Required value"],
    "with an empty version": [ruled({ apiVersions: [""] }), "webhooks[0].rules[0].apiVersions[0]: Required value"],
    "with a star among versions": [ruled({ apiVersions: ["*", "v1"] }), "if '*' is present, must not specify other API versions"],
    "without resources": [ruled({ resources: [] }), "webhooks[0].rules[0].resources: Required value"],
    "with an empty resource": [ruled({ resources: [""] }), "webhooks[0].rules[0].resources[0]: Required value"],
    "with */* among resources": [ruled({ resources: ["*/*", "a"] }), "if '*/*' is present, must not specify other resources"],
    "with * among resources": [
      ruled({ resources: ["*", "a"] }),
      "if '*' is present, must not specify other resources without subresources",
    ],
    "with a/* and a/x": [ruled({ resources: ["a/*", "a/x"] }), `[1]: Invalid value: "a/x": if 'a/*' is present, must not specify a/x`],
    "with */x and a/x": [ruled({ resources: ["*/x", "a/x"] }), `[1]: Invalid value: "a/x": if '*/x' is present, must not specify a/x`],
    "with a scope that does not exist": [
      ruled({ scope: "Planet" }),
      'webhooks[0].rules[0].scope: Unsupported value: "Planet": supported values: "*", "Cluster", "Namespaced"',
    ],
    "with another failurePolicy": [
      { failurePolicy: "other" },
      'webhooks[0].failurePolicy: Unsupported value: "other": supported values: "Fail", "Ignore"',
    ],
    "with another matchPolicy": [
      { matchPolicy: "other" },
      'webhooks[0].matchPolicy: Unsupported value: "other": supported values: "Equivalent", "Exact"',
    ],
    "with another reinvocationPolicy": [
      { reinvocationPolicy: "other" },
      'webhooks[0].reinvocationPolicy: Unsupported value: "other": supported values: "IfNeeded", "Never"',
    ],
    "without sideEffects": [{ sideEffects: undefined }, "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun"],
    "with side effects": [
      { sideEffects: "Some" },
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
    "with a timeout of 0": [
      { timeoutSeconds: 0 },
      "webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds",
    ],
    "with a timeout of 31": [
      { timeoutSeconds: 31 },
      "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
    ],
    "without an address": [{ clientConfig: {} }, "webhooks[0].clientConfig: Required value: exactly one of url or service is required"],
    "with two addresses": [
      { clientConfig: { ...url("https://a").clientConfig, ...service({}).clientConfig } },
      "exactly one of url or service is required",
    ],
    "without TLS": [
      url("http://a"),
      "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
    ],
    "with a query": [
      url("https://a?b=c"),
      'webhooks[0].clientConfig.url: Invalid value: "b=c": query parameters are not permitted in the URL',
    ],
    "with a fragment": [url("https://a#b"), "fragments are not permitted in the URL"],
    "with a user": [url("https://u:p@a"), "user information is not permitted in the URL"],
    "without a host": [url("https:///f"), "host must be specified; desired format: https://host[/path]"],
    "with a port that does not exist": [service({ port: 65536 }), "port is not valid: must be between 1 and 65535, inclusive"],
    "with a path without a slash": [
      service({ path: "foo/" }),
      `webhooks[0].clientConfig.service.path: Invalid value: "foo/": must start with a '/'`,
    ],
    "with an empty segment": [service({ path: "/foo//bar" }), "segment[1] may not be empty"],
    "without review versions": [
      { admissionReviewVersions: [] },
      "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
    ],
    "with unknown review versions": [
      { admissionReviewVersions: ["v2"] },
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
    ],
    "with a review version twice": [
      { admissionReviewVersions: ["v1", "v1"] },
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version',
    ],
  }
  test.each(Object.entries(rows))("%s", (_, [more, says]) => {
    expect(errorsOf([{ ...good, ...more }]).join("\n")).toContain(says)
  })

  test("with the name of another", () => {
    expect(errorsOf([good, good])).toEqual(['webhooks[1].name: Duplicate value: "webhook.k8s.io"'])
  })
})

describe("a webhook is accepted", () => {
  test.each<[string, object]>([
    ["as it is", {}],
    ["with unknown review versions beside a known one", { admissionReviewVersions: ["v2", "v1beta1"] }],
    ["with a Service", service({ path: "/a/b" })],
    ["with subresources", ruled({ resources: ["a/x", "b/*", "*/y"] })],
  ])("%s", (_, more) => {
    expect(errorsOf([{ ...good, ...more }])).toEqual([])
  })

  test.each<[string, object]>([
    ["side effects", { sideEffects: "Some" }],
    ["unknown review versions", { admissionReviewVersions: ["v2"] }],
  ])("with %s where it had them before", (_, more) => {
    const before = { ...good, ...more }
    expect(errorsOf([before])).not.toEqual([])
    expect(errorsOf([before], [before])).toEqual([])
  })
})
