import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "./testing/server.ts"

const core = "/api/v1/namespaces/default"
const bytes = (text: string) => new TextEncoder().encode(text)

everyWay("a body that has a field twice", (testServer) => {
  const send = (path: string, text: string, { query = {}, contentType = "application/json" } = {}) =>
    testServer().transport({ verb: "POST", path, query, headers: {}, body: { type: "bytes", bytes: bytes(text), contentType } })

  test.each([
    [
      "maps are put together",
      '{"metadata":{"name":"a"},"data":{"a":"1","b":"1"},"data":{"b":"2","c":"3"}}',
      { data: { a: "1", b: "2", c: "3" } },
    ],
    [
      "metadata too",
      '{"metadata":{"name":"a","labels":{"x":"1"}},"metadata":{"labels":{"y":"2"}}}',
      { metadata: { name: "a", labels: { x: "1", y: "2" } } },
    ],
    ["null takes nothing from metadata", '{"metadata":{"name":"a"},"metadata":null}', { metadata: { name: "a" } }],
    ["and no text", '{"metadata":{"name":"a","name":null}}', { metadata: { name: "a" } }],
  ])("of a ConfigMap: %s (seen)", async (_what, text, made) => {
    expect(objectIn(await send(`${core}/configmaps`, text), 201)).toMatchObject(made)
  })

  test("null takes a map away (seen)", async () => {
    const made = objectIn(await send(`${core}/configmaps`, '{"metadata":{"name":"a"},"data":{"a":"1"},"data":null}'), 201)
    expect(made).not.toHaveProperty("data")
  })

  test("lists of a pod are put together item by item (seen)", async () => {
    const first = '{"containers":[{"name":"a","image":"i","env":[{"name":"X","value":"1"}]},{"name":"b","image":"j"}],'
    const second = '"containers":[{"image":"k","env":[{"name":"Y"}]}]}'
    const more = '{"nodeName":"n","securityContext":{"runAsUser":1},"securityContext":{"runAsGroup":2}}'
    const { spec } = objectIn(await send(`${core}/pods`, `{"metadata":{"name":"p"},"spec":${first}${second},"spec":${more}}`), 201)
    expect(spec).toMatchObject({ nodeName: "n", securityContext: { runAsUser: 1, runAsGroup: 2 } })
    expect(spec?.containers).toEqual([expect.objectContaining({ name: "a", image: "k", env: [{ name: "Y", value: "1" }] })])
  })

  test("is warned of, and refused where it must be right", async () => {
    const text = '{"metadata":{"name":"a"},"data":{"a":"1"},"data":{"a":"2"}}'
    expect((await send(`${core}/configmaps`, text)).headers.warning).toContain('duplicate field \\"data\\"')
    expect(statusIn(await send(`${core}/configmaps`, text, { query: { fieldValidation: "Strict" } }))).toMatchObject({
      code: 400,
      message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data"',
    })
  })

  test("in YAML the last counts whole (seen)", async () => {
    const text = 'metadata: {name: a}\ndata: {a: "1"}\ndata: {b: "2"}\n'
    expect(objectIn(await send(`${core}/configmaps`, text, { contentType: "application/yaml" }), 201).data).toEqual({ b: "2" })
  })
})
