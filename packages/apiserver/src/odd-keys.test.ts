import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "./testing/server.ts"

const core = "/api/v1/namespaces/default"
const json = (text: string): unknown => JSON.parse(text)

/** Found by fuzzing: keys of users' maps that every JavaScript object answers to. */
everyWay("keys that every object has", (testServer) => {
  test("in a range of limits", async () => {
    const limits = [{ type: "Container", default: { constructor: "1" }, max: { cpu: "1" } }]
    expect(objectIn(await testServer().post(`${core}/limitranges`, { metadata: { name: "a" }, spec: { limits } }), 201).spec).toMatchObject(
      {
        limits: [{ default: { constructor: "1", cpu: "1" }, defaultRequest: { constructor: "1", cpu: "1" } }],
      },
    )
  })

  test("in the resources of a container", async () => {
    const containers = [{ name: "c", image: "i", resources: { requests: { toString: "1" } } }]
    const status = statusIn(await testServer().post(`${core}/pods`, { metadata: { name: "a" }, spec: { containers } }))
    expect(status.message).toContain("must be a standard resource type or fully qualified")
    expect(status.code).toBe(422)
  })

  test("in data, also through a patch", async () => {
    const api = testServer()
    const made = objectIn(
      await api.post(`${core}/configmaps`, json('{"metadata":{"name":"a"},"data":{"__proto__":"p","constructor":"c"}}')),
      201,
    )
    expect(JSON.stringify(made.data)).toBe('{"__proto__":"p","constructor":"c"}')
    const patched = objectIn(await api.patch(`${core}/configmaps/a`, "merge", { data: { toString: "t" } }))
    expect(JSON.stringify(patched.data)).toBe('{"__proto__":"p","constructor":"c","toString":"t"}')
    const gone = objectIn(await api.patch(`${core}/configmaps/a`, "merge", json('{"data":{"__proto__":null}}')))
    expect(JSON.stringify(gone.data)).toBe('{"constructor":"c","toString":"t"}')
  })

  test("in a Secret's texts", async () => {
    const made = objectIn(await testServer().post(`${core}/secrets`, json('{"metadata":{"name":"a"},"stringData":{"__proto__":"p"}}')), 201)
    expect(JSON.stringify(made.data)).toBe('{"__proto__":"cA=="}')
  })
})
