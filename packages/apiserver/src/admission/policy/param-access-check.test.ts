import { expect, test } from "vitest"
import { statusIn, testServer } from "../../testing/server.ts"

const group = "/apis/admissionregistration.k8s.io/v1"
const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }]
const spec = { matchConstraints: { resourceRules }, paramKind: { apiVersion: "v1", kind: "Secret" }, validations: [{ expression: "true" }] }
const policy = { metadata: { name: "p" }, spec }
const binding = {
  metadata: { name: "b" },
  spec: { policyName: "p", validationActions: ["Deny"], paramRef: { name: "s", namespace: "n", parameterNotFoundAction: "Deny" } },
}
const writer = { name: "writer", groups: ["system:authenticated"] }
const printed = "&{writer  [system:authenticated] map[]}"

/** A server whose users may do everything but read Secrets. */
function withoutSecrets() {
  return testServer("in process", {
    authorizer: {
      authorize: ({ groups }, what) => ({
        allowed: groups.includes("system:masters") || !("resource" in what && what.resource === "secrets"),
      }),
      rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
    },
  })
}

test("a policy is refused to who may not read its params", async () => {
  const api = withoutSecrets()
  const refused = statusIn(await api.as(writer)("POST", `${group}/validatingadmissionpolicies`, { body: policy }))
  expect(refused).toMatchObject({ code: 422 })
  const text = `user ${printed} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`
  expect(refused.details?.causes).toEqual([{ reason: "FieldValueForbidden", message: `Forbidden: ${text}`, field: "spec.paramKind" }])
  expect((await api.post(`${group}/validatingadmissionpolicies`, policy)).status).toBe(201)
})

test("a binding is refused to who may not read its params, and stays writable to others", async () => {
  const api = withoutSecrets()
  await api.post(`${group}/validatingadmissionpolicies`, policy)
  const bindings = `${group}/validatingadmissionpolicybindings`
  expect(statusIn(await api.as(writer)("POST", bindings, { body: binding })).message).toContain(
    `spec.paramRef: Forbidden: user ${printed} does not have "get" permission on the object referenced by paramRef`,
  )
  const stored = await api.post(bindings, binding)
  expect(stored.status).toBe(201)
  const relabel = { metadata: { labels: { a: "b" } } }
  const headers = { "content-type": "application/merge-patch+json" }
  expect((await api.as(writer)("PATCH", `${bindings}/b`, { body: relabel, headers })).status).toBe(200)
})
