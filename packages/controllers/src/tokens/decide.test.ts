import { serviceUnavailable } from "@pilothouse/api"
import type { Secret, ServiceAccount } from "@pilothouse/api/core/v1"
import { describeOperation, type Plan, type Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide, settle } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { account, sign, text, tokenSecret } from "./testing/tokens.ts"
import { isGeneratedName, isTokenOf } from "./token-secret.ts"

const seams = { sign, rootCa: "CA" }
const full = { token: "x", namespace: "default", "ca.crt": "CA" }

function planned(observed: Observed, given = seams): Plan {
  return decide(observed, { random: seededRandom(1) }, given)
}

function operations(plan: Plan) {
  return plan.steps.flatMap((step) => step.operations)
}

/** The Secret as it is written, its data in clear. */
function written(plan: Plan): Record<string, string> | undefined {
  const [operation] = operations(plan)
  if (operation?.do !== "update") return undefined
  return Object.fromEntries(Object.entries((operation.object as Secret).data ?? {}).map(([key, value]) => [key, text(value)]))
}

const signed = JSON.stringify({
  iss: "kubernetes/serviceaccount",
  sub: "system:serviceaccount:default:robot",
  "kubernetes.io/serviceaccount/namespace": "default",
  "kubernetes.io/serviceaccount/secret.name": "t",
  "kubernetes.io/serviceaccount/service-account.name": "robot",
  "kubernetes.io/serviceaccount/service-account.uid": "u-robot",
})

describe("TokenCreation: Secrets", () => {
  test.each<[name: string, data: Record<string, string>, expected: Record<string, string> | undefined]>([
    ["added secret with serviceaccount: all is there", full, undefined],
    ["added token secret without token data", { namespace: "default", "ca.crt": "CA" }, { ...full, token: signed }],
    ["added token secret without ca data", { token: "x", namespace: "default" }, full],
    ["added token secret with mismatched ca data", { ...full, "ca.crt": "old" }, full],
    ["added token secret without namespace data", { token: "x", "ca.crt": "CA" }, full],
    ["added token secret with custom namespace data", { ...full, namespace: "mine" }, undefined],
    [
      "custom namespace data stays when something else is missing",
      { namespace: "mine", "ca.crt": "CA" },
      { ...full, namespace: "mine", token: signed },
    ],
    ["without anything", {}, { ...full, token: signed }],
    ["what others keep in it stays", { ...full, "ca.crt": "old", more: "1" }, { ...full, more: "1" }],
  ])("%s", (_name, data, expected) => {
    expect(written(planned({ concern: "secret", secret: tokenSecret(data), account: account() }))).toEqual(expected)
  })

  test("updated secret without serviceaccount goes, that very one", () => {
    const [operation] = operations(planned({ concern: "secret", secret: tokenSecret(full) }))
    expect(operation).toMatchObject({
      do: "delete",
      object: { metadata: { uid: "u-t" } },
      reason: "its service account robot does not exist",
    })
  })

  test("without a CA none is written, and one that is there stays", () => {
    expect(
      written(
        planned({ concern: "secret", secret: tokenSecret({ token: "x", namespace: "default" }), account: account() }, { sign, rootCa: "" }),
      ),
    ).toBeUndefined()
  })

  test("what is written says whose it is, and a conflict is left to the newer one", () => {
    const [operation] = operations(planned({ concern: "secret", secret: tokenSecret({}, { uid: undefined }), account: account() }))
    expect(operation).toMatchObject({
      tolerate: ["Conflict", "NotFound"],
      object: {
        metadata: {
          resourceVersion: "2",
          annotations: { "kubernetes.io/service-account.name": "robot", "kubernetes.io/service-account.uid": "u-robot" },
        },
      },
    })
  })
})

describe("TokenCreation: references", () => {
  test.each<[name: string, account: ServiceAccount, expected: readonly unknown[] | undefined]>([
    ["deleted secret with serviceaccount with reference", account(["mine", "t"]), [{ name: "mine" }]],
    ["the last one", account(["t"]), []],
    ["deleted secret with serviceaccount without reference", account(["mine"]), undefined],
  ])("%s", (_name, of, expected) => {
    const [operation] = operations(planned({ concern: "reference", account: of, gone: ["t"] }))
    expect(operation?.do === "update" ? (operation.object as ServiceAccount).secrets : undefined).toEqual(expected)
  })
})

describe("TokenCreation: a token for every account", () => {
  test.each<[name: string, account: ServiceAccount, gone: readonly string[], kept: readonly string[]]>([
    ["new serviceaccount with no secrets", account(), [], []],
    ["new serviceaccount with missing secrets: others' references stay", account(["missing"]), [], ["missing"]],
    ["new serviceaccount with non-token secrets", account(["pull"]), [], ["pull"]],
    ["references to tokens of ours that are gone are taken out", account(["robot-token-aaaaa", "pull"]), ["robot-token-aaaaa"], ["pull"]],
  ])("%s", (_name, of, gone, kept) => {
    const plan = planned({ concern: "account", account: of, gone })
    const [create, update] = operations(plan)
    const made = create?.do === "create" ? (create.object as Secret) : undefined
    expect(made).toMatchObject({
      type: "kubernetes.io/service-account-token",
      metadata: {
        name: expect.stringMatching(/^robot-token-[a-z0-9]{5}$/),
        namespace: "default",
        annotations: { "kubernetes.io/service-account.uid": "u-robot" },
      },
    })
    expect(Object.keys(made?.data ?? {}).sort()).toEqual(["ca.crt", "namespace", "token"])
    expect(text(made?.data?.token)).toContain(`"kubernetes.io/serviceaccount/secret.name":"${made?.metadata.name}"`)
    expect(update).toMatchObject({
      do: "update",
      object: { metadata: { resourceVersion: "1" }, secrets: [...kept, made?.metadata.name].map((name) => ({ name })) },
    })
    expect(plan.steps).toHaveLength(2)
  })

  test("one that was made before a crash is referred to, no second is made", () => {
    const plan = planned({
      concern: "account",
      account: account(["pull"]),
      unused: tokenSecret(full, { name: "robot-token-abcde" }),
      gone: [],
    })
    expect(operations(plan).map(describeOperation)).toEqual(["update ServiceAccount default/robot"])
    expect(operations(plan)).toMatchObject([{ object: { secrets: [{ name: "pull" }, { name: "robot-token-abcde" }] } }])
  })

  test("if the update of the account fails the Secret is deleted again", () => {
    const observed: Observed = { concern: "account", account: account(), gone: [] }
    const [create, update] = operations(planned(observed))
    const made = { apiVersion: "v1", kind: "Secret", metadata: { name: "robot-token-abcde", namespace: "default", uid: "u9" } }
    const results = (told: Result): readonly Result[] => [{ operation: create!, ok: true, object: made }, told]
    const failed: Result = { operation: update!, ok: false, error: serviceUnavailable("no") }
    expect(operations(settle(observed, results(failed)))).toMatchObject([{ do: "delete", object: { metadata: { uid: "u9" } } }])
    expect(operations(settle(observed, results({ operation: update!, ok: true })))).toEqual([])
    expect(
      operations(
        settle(observed, [
          { operation: create!, ok: false, error: serviceUnavailable("no") },
          { operation: update!, ok: "skipped" },
        ]),
      ),
    ).toEqual([])
  })
})

test.each<[name: string, secret: Secret, expected: boolean]>([
  ["name and uid", tokenSecret(), true],
  ["no UID: the name decides", tokenSecret({}, { uid: undefined }), true],
  ["the uid of one before", tokenSecret({}, { uid: "older" }), false],
  ["another type", { ...tokenSecret(), type: "Opaque" }, false],
  ["another namespace", { ...tokenSecret(), metadata: { ...tokenSecret().metadata, namespace: "other" } }, false],
])("whether a Secret is a token of an account: %s", (_name, secret, expected) => {
  expect(isTokenOf(secret, account())).toBe(expected)
})

test("a long name of an account is cut, and still known as ours", () => {
  const long = account([], { name: "r".repeat(60) })
  const [create] = operations(planned({ concern: "account", account: long, gone: [] }))
  const name = create?.do === "create" ? create.object.metadata.name : undefined
  expect(name).toHaveLength(63)
  expect(isGeneratedName(name, long)).toBe(true)
})
