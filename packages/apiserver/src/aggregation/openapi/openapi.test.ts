import { expect, test } from "vitest"
import { objectIn } from "../../testing/server.ts"
import { type Answer, aggregatingServer, answered, prefix, working } from "../testing/extension-server.ts"

const path = "apis/wardle.example.com/v1alpha1"
const url = `/openapi/v3/${path}?hash=ABC`
const flunder = "com.example.wardle.v1alpha1.Flunder"

const swagger = {
  swagger: "2.0",
  paths: {
    [`${prefix}/flunders`]: { get: { responses: { 200: { description: "OK", schema: { $ref: `#/definitions/${flunder}` } } } } },
    "/apis/other/v1/things": { get: { responses: { 200: { description: "OK", schema: { $ref: "#/definitions/of.another.Group" } } } } },
  },
  definitions: {
    [flunder]: { type: "object", properties: { metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" } } },
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object", description: "another" },
    unused: { type: "object" },
    "of.another.Group": { type: "object" },
  },
}

const describing: Answer = (request, to) => {
  if (request.path === "/openapi/v3")
    return answered({ paths: { version: { serverRelativeURL: "/x" }, [path]: { serverRelativeURL: url } } })
  if (request.path === "/openapi/v2") return answered(swagger)
  if (request.path === `/openapi/v3/${path}`) return answered({ openapi: "3.0.0", query: request.query })
  return working(request, to)
}

interface Swagger {
  readonly paths: Readonly<Record<string, unknown>>
  readonly definitions: Readonly<Record<string, { readonly description?: string }>>
}

async function described(answer: Answer) {
  const { api, extension, install } = await aggregatingServer()
  extension.answer = answer
  await install()
  await api.clock.advance(10_000)
  return api
}

test("documents of OpenAPI v3 are listed, and come from the extension server", async () => {
  const api = await described(describing)
  const { paths } = objectIn(await api.get("/openapi/v3")) as unknown as { readonly paths: Readonly<Record<string, unknown>> }
  expect(paths[path]).toEqual({ serverRelativeURL: url })
  expect(paths).not.toHaveProperty("version")
  expect(objectIn(await api.get(`/openapi/v3/${path}`, { hash: "ABC" }))).toMatchObject({ openapi: "3.0.0", query: { hash: "ABC" } })
})

test("the document of OpenAPI v2 has its paths and what they need or no path needs, and keeps our own definitions", async () => {
  const api = await described(describing)
  const { paths, definitions } = objectIn(await api.get("/openapi/v2")) as unknown as Swagger
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/api/v1/pods", `${prefix}/flunders`]))
  expect(Object.keys(paths)).not.toContain("/apis/other/v1/things")
  expect(definitions).toHaveProperty([flunder])
  expect(definitions).toHaveProperty("unused")
  expect(definitions).not.toHaveProperty(["of.another.Group"])
  expect(definitions["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]?.description).not.toBe("another")
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
  const binary = await api.ask("GET", "/openapi/v2", { headers: { accept } })
  expect(binary.body.type === "bytes" && Buffer.from(binary.body.bytes).includes(flunder)).toBe(true)
})

const broken: readonly (readonly [string, unknown])[] = [
  ["text", "<html>"],
  ["a list", []],
  ["a URL of another server", { paths: { [path]: { serverRelativeURL: "https://evil.example.com/" } } }],
  ["paths of texts", { paths: { [`${prefix}/flunders`]: "garbage", [path]: { serverRelativeURL: url } }, definitions: 7 }],
  [
    "parameters that are none",
    { paths: { [`${prefix}/flunders`]: { get: { parameters: 7, responses: [] } }, [path]: { serverRelativeURL: url } } },
  ],
]

test.each(broken)("OpenAPI that is %s changes nothing of ours", async (_, document) => {
  const api = await described((request, to) => (request.path.startsWith("/openapi/") ? answered(document) : working(request, to)))
  const { paths } = objectIn(await api.get("/openapi/v2")) as unknown as Swagger
  expect(Object.keys(paths)).toContain("/api/v1/pods")
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
  expect(await api.ask("GET", "/openapi/v2", { headers: { accept } })).toMatchObject({ status: 200 })
  const index = objectIn(await api.get("/openapi/v3")) as unknown as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
  }
  expect(index.paths["api/v1"]?.serverRelativeURL).toContain("/openapi/v3/api/v1?hash=")
  expect(index.paths[path]?.serverRelativeURL ?? url).toBe(url)
})
