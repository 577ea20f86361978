import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { everyWay, objectIn, statusIn, testServer } from "../../testing/server.ts"

const group = "/apis/admissionregistration.k8s.io/v1"
const configMaps = "/api/v1/namespaces/default/configmaps"
const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] }]

type Server = ReturnType<typeof testServer>

/** Creates a policy for ConfigMaps and a binding of it. */
async function bind(api: Server, spec: object, binding: object = {}): Promise<void> {
  const policy = { metadata: { name: "p" }, spec: { matchConstraints: { resourceRules: rules }, ...spec } }
  objectIn(await api.post(`${group}/validatingadmissionpolicies`, policy), 201)
  const bound = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"], ...binding } }
  objectIn(await api.post(`${group}/validatingadmissionpolicybindings`, bound), 201)
}

function configMap(data: Readonly<Record<string, string>>, name = "c"): object {
  return { metadata: { name }, data }
}

everyWay("a ValidatingAdmissionPolicy", (server) => {
  test("refuses what its validations refuse, in upstream's words", async () => {
    const api = server()
    await bind(api, { validations: [{ expression: "object.data.a == 'good'", reason: "Forbidden" }] })
    expect((await api.post(configMaps, configMap({ a: "good" }))).status).toBe(201)
    const text = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.data.a == 'good'"
    expect(statusIn(await api.post(configMaps, configMap({ a: "bad" }, "d")))).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: `configmaps "d" is forbidden: ${text}`,
      details: { name: "d", kind: "configmaps", causes: [{ message: text }] },
    })
    const update = await api.put(`${configMaps}/c`, configMap({ a: "bad" }))
    expect(statusIn(update)).toMatchObject({ code: 403 })
  })
})

describe("a ValidatingAdmissionPolicy", () => {
  const validation = { expression: "object.data.a == 'good'" }

  test.each([
    ["its message", { ...validation, message: " is bad " }, "is bad"],
    ["its expression", { ...validation, message: "is bad", messageExpression: "'not ' + object.data.a" }, "not bad"],
    ["its message where the expression fails", { ...validation, message: "is bad", messageExpression: "'' + object.data.x" }, "is bad"],
    ["its message where the expression has lines", { ...validation, message: "is bad", messageExpression: "'a\\nb'" }, "is bad"],
    ["what went wrong", { expression: "object.data.x == ''" }, "expression 'object.data.x == ''' resulted in error: no such key: x"],
  ])("refuses with %s", async (_what, one, message) => {
    const api = testServer()
    await bind(api, { validations: [one] })
    const status = statusIn(await api.post(configMaps, configMap({ a: "bad" })))
    expect(status).toMatchObject({ code: 422, reason: "Invalid" })
    expect(status.message).toBe(`configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`)
  })

  test("ignores failures where it says so", async () => {
    const api = testServer()
    await bind(api, { failurePolicy: "Ignore", validations: [{ expression: "object.data.x == ''" }] })
    expect((await api.post(configMaps, configMap({ a: "bad" }))).status).toBe(201)
  })

  test("warns instead of refusing", async () => {
    const api = testServer()
    await bind(api, { validations: [validation] }, { validationActions: ["Warn", "Audit"] })
    const answer = await api.post(configMaps, configMap({ a: "bad" }))
    expect(answer.status).toBe(201)
    expect(String(answer.headers["warning"])).toContain(
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression",
    )
  })

  test("reads variables, the request, the namespace and rights", async () => {
    const api = testServer()
    await bind(api, {
      matchConditions: [{ name: "not-system", expression: "request.namespace != 'kube-system'" }],
      variables: [
        { name: "labels", expression: "namespaceObject.metadata.labels" },
        { name: "team", expression: "variables.labels['kubernetes.io/metadata.name']" },
      ],
      validations: [
        { expression: "variables.team == request.namespace && request.userInfo.username == 'kubernetes-admin'" },
        { expression: "authorizer.group('').resource('pods').namespace('x').check('delete').allowed()" },
        { expression: "authorizer.requestResource.check('create').allowed()" },
        { expression: "oldObject == null && request.operation == 'CREATE' && request.kind.kind == 'ConfigMap'" },
      ],
    })
    expect(objectIn(await api.post(configMaps, configMap({})), 201)).toBeDefined()
  })

  test("waits for an authorizer that answers later", async () => {
    const api = testServer("in process", {
      authorizer: {
        authorize: async (_user, what) => ({ allowed: !("resource" in what && what.resource === "secrets") }),
        rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
      },
    })
    const check = (resource: string) => `authorizer.group('').resource('${resource}').check('get').allowed()`
    await bind(api, { validations: [{ expression: check("pods") }, { expression: check("secrets") }] })
    expect(statusIn(await api.post(configMaps, configMap({}))).message).toContain(`failed expression: ${check("secrets")}`)
  })

  describe("with params", () => {
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: { resourceRules: [{ ...rules[0], resources: ["secrets"] }] },
      validations: [
        { expression: "object.metadata.name.size() <= int(params.data.max)", messageExpression: "'at most ' + params.data.max" },
      ],
    }
    const secret = (name: string) => ({ metadata: { name } })
    const secrets = "/api/v1/namespaces/default/secrets"

    test.each([
      ["by name", { name: "limit", namespace: "default" }],
      ["by name in the namespace of the request", { name: "limit" }],
      ["by selector", { selector: { matchLabels: { limits: "names" } } }],
    ])("reads them %s", async (_how, paramRef) => {
      const api = testServer()
      await api.post(configMaps, { metadata: { name: "limit", labels: { limits: "names" } }, data: { max: "3" } })
      await bind(api, spec, { paramRef: { ...paramRef, parameterNotFoundAction: "Deny" } })
      expect((await api.post(secrets, secret("abc"))).status).toBe(201)
      expect(statusIn(await api.post(secrets, secret("abcd"))).message).toContain("denied request: at most 3")
    })

    test.each([
      ["Deny", 422],
      ["Allow", 201],
    ])("that do not exist: %s", async (parameterNotFoundAction, status) => {
      const api = testServer()
      await bind(api, spec, { paramRef: { name: "none", parameterNotFoundAction } })
      expect((await api.post(secrets, secret("abcd"))).status).toBe(status)
    })

    test("of a kind that does not exist", async () => {
      const api = testServer()
      await bind(
        api,
        { ...spec, paramKind: { apiVersion: "example.com/v1", kind: "Limit" } },
        { paramRef: { name: "a", parameterNotFoundAction: "Deny" } },
      )
      expect(statusIn(await api.post(secrets, secret("a"))).message).toBe(
        `secrets "a" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
      )
    })
  })

  test("without a binding has no effect, and ends with its binding", async () => {
    const api = testServer()
    await bind(api, { validations: [{ expression: "false" }] })
    expect((await api.post(configMaps, configMap({}))).status).toBe(422)
    await api.ask("DELETE", `${group}/validatingadmissionpolicybindings/b`)
    expect((await api.post(configMaps, configMap({}))).status).toBe(201)
  })
})

/** Each reading of the clock takes ten milliseconds. */
class SlowClock extends VirtualClock {
  #spent = 0

  override elapsed(): number {
    return (this.#spent += 10)
  }
}

test("many policies leave turns to others", async () => {
  const api = testServer("in process", { clock: new SlowClock() })
  const turnsOf = async (work: Promise<unknown>) => {
    let [turns, isOver] = [0, false]
    const count = () => void setImmediate(() => (isOver ? undefined : (turns++, count())))
    count()
    await work
    isOver = true
    return turns
  }
  const before = await turnsOf(api.post(configMaps, configMap({ a: "b" }, "before")))
  for (let n = 0; n < 20; n++) {
    const spec = { matchConstraints: { resourceRules: rules }, validations: [{ expression: "true" }] }
    objectIn(await api.post(`${group}/validatingadmissionpolicies`, { metadata: { name: `p${n}` }, spec }), 201)
    const binding = { policyName: `p${n}`, validationActions: ["Deny"] }
    objectIn(await api.post(`${group}/validatingadmissionpolicybindings`, { metadata: { name: `b${n}` }, spec: binding }), 201)
  }
  objectIn(await api.post(configMaps, configMap({ a: "b" }, "loads-the-library")), 201)
  // Three of them take the slice of a turn.
  expect((await turnsOf(api.post(configMaps, configMap({ a: "b" })))) - before).toBeGreaterThanOrEqual(5)
})

test("expressions are counted under kube-apiserver's names", async () => {
  const api = testServer()
  await bind(api, { validations: [{ expression: "object.data.a == 'x'" }] }, { validationActions: ["Deny", "Audit"] })
  await api.post(configMaps, configMap({ a: "b" }))
  for (const action of ["deny", "audit"]) {
    expect(api.metrics.text()).toContain(
      `apiserver_validating_admission_policy_check_total{enforcement_action="${action}",error_type="invalid_error",policy="p",policy_binding="b"} 1`,
    )
  }
})

test("the first fault or denial in the order of policies is the answer", async () => {
  const api = testServer()
  await bind(api, { validations: [{ expression: "false", message: "first" }] })
  const spec = {
    matchConstraints: { resourceRules: rules },
    paramKind: { apiVersion: "x.example.com/v1", kind: "None" },
    validations: [{ expression: "true" }],
  }
  objectIn(await api.post(`${group}/validatingadmissionpolicies`, { metadata: { name: "q" }, spec }), 201)
  const binding = { policyName: "q", validationActions: ["Deny"] }
  objectIn(await api.post(`${group}/validatingadmissionpolicybindings`, { metadata: { name: "q" }, spec: binding }), 201)
  expect(statusIn(await api.post(configMaps, configMap({ a: "b" }))).message).toContain("denied request: first")
})
