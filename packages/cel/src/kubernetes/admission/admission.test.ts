import { describe, expect, it, test } from "vitest"
import { boolType, nullType, stringType } from "../../types/types.ts"
import { AdmissionEnvironment } from "./admission-environment.ts"
import { type AdmissionEvaluation, AdmissionExpressions, type AdmissionInputs } from "./admission-expressions.ts"
import { type ExpressionAuthorizer, RequestAuthorizations } from "./authorizations.ts"
import { MatchConditions, type MatchOutcome } from "./match-conditions.ts"
import { jsonOf } from "./patch-types.ts"

const request = {
  kind: { group: "", version: "v1", kind: "Pod" },
  name: "p",
  namespace: "default",
  operation: "CREATE",
  userInfo: { username: "u", groups: ["a", "b"], extra: { k: ["v"] } },
  dryRun: false,
  options: { kind: "CreateOptions" },
}
const inputs: AdmissionInputs = { object: { metadata: { name: "p" }, spec: { replicas: 3 } }, request }
const pod = { group: "", resource: "pods", subresource: "", namespace: "default", name: "p" }

function authorizations(authorize: ExpressionAuthorizer["authorize"]): RequestAuthorizations {
  return new RequestAuthorizations({ authorize }, { name: "u", groups: [] }, pod)
}

/** Compiles one condition that may read everything. */
function condition(expression: string): MatchConditions {
  return new MatchConditions([{ name: "it", expression }], { params: true, authorizer: true })
}

describe("an expression of admission", () => {
  test.each([
    ["reads the object", "object.spec.replicas == 3"],
    ["finds no old object on create", "oldObject == null"],
    ["reads the request by its type", "request.userInfo.groups.exists(g, g == 'b') && request.options.kind == 'CreateOptions'"],
    ["finds no params where there are none", "params == null"],
    ["finds no namespace of a cluster-scoped object", "namespaceObject == null"],
  ])("%s: %s", (_what, expression) => {
    const conditions = condition(expression)
    expect(conditions.errors).toEqual([undefined])
    expect(conditions.match(inputs)).toEqual({ kind: "matches" })
  })

  test.each([
    ["object.spec", "must evaluate to bool but got dyn"],
    ["request.userInfo.extra", "must evaluate to bool but got map(string, list(string))"],
    ["request", "must evaluate to bool but got kubernetes.AdmissionRequest"],
    ["null", "must evaluate to bool but got null_type"],
    ["request.uid == ''", /^compilation failed: ERROR: <input>:1:8: undefined field 'uid'/],
    ["variables.x", /^compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables'/],
  ])("%s is refused in upstream's words", (expression, error) => {
    const [found] = condition(expression).errors
    expect(found).toEqual(typeof error === "string" ? error : expect.stringMatching(error))
  })

  it("has params and authorizer only where they are declared", () => {
    const conditions = [
      { name: "a", expression: "params == null" },
      { name: "b", expression: "authorizer.path('/').check('get').allowed()" },
    ]
    expect(new MatchConditions(conditions, {}).errors).toEqual([
      expect.stringContaining("undeclared reference to 'params'"),
      expect.stringContaining("undeclared reference to 'authorizer'"),
    ])
  })

  it("names all types that it may have", () => {
    const expressions = new AdmissionExpressions([{ expression: "1", returns: [stringType, nullType] }], {})
    expect(expressions.errors).toEqual(["must evaluate to one of [string null_type] but got int"])
  })
})

test("a field that JSONPatch does not have is of a type without a name", () => {
  const expressions = new AdmissionExpressions([{ expression: "[JSONPatch{operation: 'add'}]" }], { patchTypes: true })
  expect(expressions.errors).toEqual([
    "compilation failed: ERROR: <input>:1:21: expected type of field 'operation' is '' but provided type is 'string'\n | [JSONPatch{operation: 'add'}]\n | ....................^",
  ])
})

describe("match conditions", () => {
  const isFalse = { name: "false", expression: "request.name == 'other'" }
  const fails = { name: "fails", expression: "object.missing == 1" }

  test.each([
    ["one is false", [isFalse], { kind: "excluded", condition: "false", errors: 0 }],
    ["one is false behind one that fails", [fails, isFalse], { kind: "excluded", condition: "false", errors: 1 }],
    [
      "one fails",
      [fails],
      {
        kind: "error",
        message: "expression 'object.missing == 1' resulted in error: no such key: missing",
        errors: 1,
        isOutOfBudget: false,
      },
    ],
  ] as const)("%s", (_what, conditions, outcome) => {
    expect(new MatchConditions(conditions, {}).match(inputs)).toEqual(outcome)
  })

  const dear = "[1,2,3,4,5,6,7,8,9].all(a, object.l.all(b, object.l.all(c, a != b + c + 1000)))"

  it("end one by one after 1,000,000 units, and together after 2,500,000", () => {
    const long = { ...inputs, object: { l: Array.from({ length: 200 }, (_none, index) => index) } }
    const limit = "operation cancelled: actual cost limit exceeded"
    expect(condition(dear).match(long)).toMatchObject({ kind: "error", message: expect.stringContaining(limit) })
    const three = [1, 2, 3].map((index) => ({ name: `${index}`, expression: dear }))
    expect(new MatchConditions(three, {}).match(long)).toEqual({
      kind: "error",
      message: "validation failed due to running out of cost budget, no further validation rules will be run",
      errors: 0,
      isOutOfBudget: true,
    })
  })
})

describe("the authorizer", () => {
  it("is asked with the user and what the expression says", () => {
    const asked: unknown[] = []
    const checks = authorizations((user, what) => {
      asked.push([user.name, what])
      return { allowed: true }
    })
    const expression = "authorizer.requestResource.check('delete').allowed() && authorizer.path('/x').check('get').allowed()"
    expect(condition(expression).match({ ...inputs, authorizations: checks })).toEqual({ kind: "matches" })
    expect(asked).toEqual([
      ["u", { ...pod, verb: "delete", version: "*" }],
      ["u", { verb: "get", path: "/x" }],
    ])
  })

  it("may answer later, and is asked each question once", async () => {
    const asked: string[] = []
    const checks = authorizations(async (_user, { verb }) => {
      asked.push(verb)
      return { allowed: verb === "get" }
    })
    const expression = "authorizer.path('/').check('put').allowed() || authorizer.path('/').check('get').allowed()"
    const matching: MatchOutcome | Promise<MatchOutcome> = condition(expression).match({ ...inputs, authorizations: checks })
    expect(matching).toBeInstanceOf(Promise)
    expect(await matching).toEqual({ kind: "matches" })
    expect(await condition(expression).match({ ...inputs, authorizations: checks })).toEqual({ kind: "matches" })
    expect(asked).toEqual(["put", "get"])
  })

  it("can be checked twice by one expression and not three times", () => {
    const checks = authorizations(() => ({ allowed: true }))
    const check = "authorizer.path('/').check('get').allowed()"
    expect(condition([check, check].join(" && ")).match({ ...inputs, authorizations: checks })).toEqual({ kind: "matches" })
    expect(condition([check, check, check].join(" && ")).match({ ...inputs, authorizations: checks })).toMatchObject({ kind: "error" })
  })
})

describe("variables", () => {
  function evaluate(variables: Readonly<Record<string, string>>, expression: string): AdmissionEvaluation {
    const environment = new AdmissionEnvironment("policy")
    for (const [name, source] of Object.entries(variables)) environment.addVariable({ name, expression: source }, {})
    const expressions = new AdmissionExpressions([{ expression, returns: [boolType] }], {}, environment)
    expect(expressions.errors).toEqual([undefined])
    return expressions.evaluate(inputs, 10_000_000) as AdmissionEvaluation
  }

  it("read earlier ones, keep their types, and are computed only where they are read", () => {
    const evaluation = evaluate(
      { broken: "object.missing", three: "object.spec.replicas + 0", names: "['a', 'b']" },
      "variables.three == 3 && 'a' in variables.names",
    )
    expect(evaluation).toMatchObject({ results: [{ kind: "value", value: true }] })
    expect(evaluate({ one: "1", two: "variables.one + 1" }, "variables.two == 2")).toMatchObject({ results: [{ value: true }] })
  })

  it("are computed once, and their cost is spent once", () => {
    const once = evaluate({ list: "[1, 2, 3].map(x, object.spec.replicas)" }, "variables.list == [3]")
    const twice = evaluate({ list: "[1, 2, 3].map(x, object.spec.replicas)" }, "variables.list == [3] || variables.list == [3, 3, 3]")
    const spent = (of: AdmissionEvaluation) => (of.kind === "results" ? 10_000_000 - of.remainingBudget : 0)
    expect(spent(twice) - spent(once)).toBeLessThan(10)
  })

  it.each([
    ["object.missing", `composited variable "x" fails to evaluate: no such key: missing`],
    ["nothing", /^expression 'variables.x == 1' resulted in error: composited variable "x" fails to compile: compilation failed: ERROR/],
  ])("that fail say so where they are read: %s", (source, message) => {
    const [result] = (evaluate({ x: source }, "variables.x == 1") as { results: readonly unknown[] }).results
    const expected =
      typeof message === "string" ? `expression 'variables.x == 1' resulted in error: ${message}` : expect.stringMatching(message)
    expect(result).toMatchObject({ kind: "error", message: expected })
  })
})

it("bytes of half a megabyte become base64, as JSON holds them", () => {
  expect(jsonOf(new Uint8Array(500_001).fill(255))).toBe("/".repeat(666_668))
})
