import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { allowed, configMaps, configurations, serverWith, webhook } from "./testing/webhooks.ts"

describe("match conditions", () => {
  const conditions = (expression: string, more: object = {}) => [webhook("a", { matchConditions: [{ name: "c", expression }], ...more })]
  test("one that is false leaves the webhook out", async () => {
    const { api, reviews } = await serverWith(
      { a: () => allowed },
      { validating: conditions("request.userInfo.username != 'kubernetes-admin'") },
    )
    objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
    expect(reviews).toEqual({})
    expect(api.metrics.text()).toContain(
      'match_condition_exclusions_total{kind="webhook",name="a.example.com",operation="CREATE",type="validate"} 1',
    )
  })

  test("they see the object", async () => {
    const { api, reviews } = await serverWith({ a: () => allowed }, { mutating: conditions("object.metadata.name.startsWith('x')") })
    for (const name of ["c", "x1"]) objectIn(await api.post(configMaps, { metadata: { name } }), 201)
    expect(reviews.a!.map(({ request }) => request.name)).toEqual(["x1"])
  })

  test("one that fails refuses the request, or leaves the webhook out", async () => {
    const failing = "object.data.missing == 'x'"
    const { api } = await serverWith({ a: () => allowed }, { validating: conditions(failing) })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } }))).toMatchObject({ code: 403 })
    const ignored = await serverWith({ a: () => ({ allowed: false }) }, { validating: conditions(failing, { failurePolicy: "Ignore" }) })
    objectIn(await ignored.api.post(configMaps, { metadata: { name: "c" } }), 201)
  })

  test("an expression that does not compile is refused with the configuration", async () => {
    const api = testServer()
    const body = { metadata: { name: "h" }, webhooks: conditions("object.") }
    expect(statusIn(await api.post(configurations("validating"), body))).toMatchObject({
      code: 422,
      message: expect.stringContaining('webhooks[0].matchConditions[0].expression: Invalid value: "object.": compilation failed: '),
    })
  })
})
