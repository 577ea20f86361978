import { seededRandom, silentLog, VirtualClock, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { statusIn, testServer } from "../../testing/server.ts"
import { configuredAuthorizers } from "./authorization-configuration.ts"

const connectionInfo = { type: "KubeConfigFile", kubeConfigFile: "/etc/webhook.kubeconfig" }
const webhook = { timeout: "3s", subjectAccessReviewVersion: "v1", failurePolicy: "NoOpinion", connectionInfo }
const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration" }
const hook = (more: object = {}) => ({ type: "Webhook", name: "hook", webhook: { ...webhook, ...more } })

const transport = async () => ({ status: 201, headers: {}, body: valueBody({ status: { allowed: true, reason: "the webhook says so" } }) })
const seams = {
  clock: new VirtualClock(),
  random: seededRandom(1),
  log: silentLog,
  connect: async () => ({ transport, path: "/authorize" }),
}
const read = (authorizers: unknown) => configuredAuthorizers({ ...head, authorizers }, seams)

test.each([
  ["no authorizers", [], "authorizers: Required value: at least one authorization mode must be defined"],
  ["no type", [{ name: "a" }], "authorizers[0].type: Required value"],
  [
    "an unknown type",
    [{ type: "Magic", name: "a" }],
    'authorizers[0].type: Unsupported value: "Magic": supported values: "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
  ],
  [
    "a type twice",
    [
      { type: "RBAC", name: "a" },
      { type: "RBAC", name: "b" },
    ],
    'authorizers[1].type: Duplicate value: "RBAC"',
  ],
  [
    "a name twice",
    [
      { type: "Node", name: "a" },
      { type: "RBAC", name: "a" },
    ],
    'authorizers[1].name: Duplicate value: "a"',
  ],
  ["no name", [{ type: "RBAC" }], "authorizers[0].name: Required value"],
  ["a name that is none", [{ type: "RBAC", name: "A_" }], 'authorizers[0].name: Invalid value: "A_": authorizer name is invalid: '],
  [
    "RBAC with a webhook",
    [{ type: "RBAC", name: "a", webhook }],
    'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
  ],
  ["a webhook without one", [{ type: "Webhook", name: "a" }], "authorizers[0].webhook: Required value: required when type=Webhook"],
  ["no timeout", [hook({ timeout: undefined })], "authorizers[0].timeout: Required value"],
  ["a long timeout", [hook({ timeout: "31s" })], 'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s'],
  ["a time of none", [hook({ authorizedTTL: "0s" })], "authorizers[0].authorizedTTL: Required value"],
  [
    "a version that is none",
    [hook({ subjectAccessReviewVersion: "v2" })],
    'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
  ],
  [
    "a policy that is none",
    [hook({ failurePolicy: "Allow" })],
    'authorizers[0].failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"',
  ],
  ["no way to the server", [hook({ connectionInfo: undefined })], "authorizers[0].connectionInfo.type: Required value"],
  [
    "a relative path",
    [hook({ connectionInfo: { ...connectionInfo, kubeConfigFile: "a" } })],
    'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "a": must be an absolute path',
  ],
  [
    "conditions without their version",
    [hook({ matchConditions: [{ expression: "true" }] })],
    "authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified",
  ],
  [
    "conditions that are none",
    [
      hook({
        matchConditionSubjectAccessReviewVersion: "v1",
        matchConditions: ["", "true", "true", "request.user"].map((expression) => ({ expression })),
      }),
    ],
    '[authorizers[0].matchConditions[0].expression: Required value, authorizers[0].matchConditions[2].expression: Duplicate value: "true", authorizers[0].matchConditions[3].expression: Invalid value: "request.user": must evaluate to bool but got string]',
  ],
  [
    "too many conditions",
    [hook({ matchConditionSubjectAccessReviewVersion: "v1", matchConditions: Array.from({ length: 65 }, () => ({ expression: "true" })) })],
    "authorizers[0].matchConditions: Too many: 65: must have at most 64 items",
  ],
  [
    "fields that are not known",
    [hook({ failurePolice: "Deny", connectionInfo: { ...connectionInfo, kubeconfigFile: "/a" } })],
    'strict decoding error: unknown field "authorizers[0].webhook.connectionInfo.kubeconfigFile", unknown field "authorizers[0].webhook.failurePolice"',
  ],
  [
    "a text in place of a boolean",
    [hook({ cacheAuthorizedRequests: "no" })],
    "expected a boolean in authorizers[0].webhook.cacheAuthorizedRequests, found a value of type string",
  ],
  ["an object in place of a list", { type: "RBAC", name: "rbac" }, "expected a list in authorizers, found a value of type object"],
  [
    "modes under names of their own",
    [
      { type: "Node", name: "nodes" },
      { type: "RBAC", name: "roles" },
    ],
    "[expected name node for authorizer Node instead of nodes, expected name rbac for authorizer RBAC instead of roles]",
  ],
])("%s", async (_title, authorizers, message) => {
  await expect(read(authorizers)).rejects.toThrow(message)
})

test("another kind is refused", async () => {
  await expect(configuredAuthorizers({ kind: "Pod", apiVersion: "v1" }, seams)).rejects.toThrow(
    "expected an AuthorizationConfiguration of apiserver.config.k8s.io/v1, found v1, Kind=Pod",
  )
})

test("a server decides by modes and webhooks in their order", async () => {
  const matchConditions = [{ expression: "request.resourceAttributes.?namespace.orValue('') == 'default'" }]
  const only = { matchConditionSubjectAccessReviewVersion: "v1", matchConditions }
  const authorizationModes = await read([{ type: "Node", name: "node" }, hook(only), { type: "RBAC", name: "rbac" }])
  const api = testServer("in process", { authorizationModes })
  const ask = api.as({ name: "bob", groups: ["system:authenticated"] })
  expect((await ask("GET", "/api/v1/namespaces/default/secrets")).status).toBe(200)
  expect(statusIn(await ask("GET", "/api/v1/secrets"))).toMatchObject({ code: 403 })
  const spec = { user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } }
  const review = await api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec })
  expect(review.body).toMatchObject({ value: { status: { allowed: true, reason: "the webhook says so" } } })
})

test("a webhook that fails is an internal error for a request that no other authorizer allows", async () => {
  const failing = { ...seams, connect: async () => ({ transport: () => Promise.reject(new Error("no way")), path: "/" }) }
  const authorizationModes = await configuredAuthorizers({ ...head, authorizers: [hook(), { type: "RBAC", name: "rbac" }] }, failing)
  const api = testServer("in process", { authorizationModes })
  const ask = api.as({ name: "bob", groups: ["system:authenticated"] })
  expect((await ask("GET", "/apis")).status).toBe(200)
  expect(statusIn(await ask("GET", "/api/v1/secrets"))).toMatchObject({ code: 500, message: expect.stringContaining("no way") })
})
