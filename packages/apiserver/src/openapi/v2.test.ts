import { expect, test } from "vitest"
import { everyWay, objectIn } from "../testing/server.ts"

type Node = { readonly [key: string]: Node } & { readonly $ref?: string }

everyWay("the document of old clients", (testServer) => {
  async function swagger(): Promise<Node> {
    return objectIn(await testServer().get("/openapi/v2")) as unknown as Node
  }

  /** Every reference in a document. */
  function references(value: unknown): readonly string[] {
    if (typeof value !== "object" || value === null) return []
    const { $ref } = value as { $ref?: unknown }
    return [...(typeof $ref === "string" ? [$ref] : []), ...Object.values(value).flatMap(references)]
  }

  test("old clients find all kinds in one document, and every reference leads somewhere", async () => {
    const document = await swagger()
    expect(document).toMatchObject({ swagger: "2.0", info: { title: "Kubernetes" } })
    const pod = document.definitions?.["io.k8s.api.core.v1.Pod"]
    expect(pod).toMatchObject({
      type: "object",
      properties: { spec: { $ref: "#/definitions/io.k8s.api.core.v1.PodSpec" } },
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
    })
    const lost = [...new Set(references(document))].filter((one) => document.definitions?.[one.replace("#/definitions/", "")] === undefined)
    expect(lost).toEqual([])
  })

  test("a value that is a number or a word is a string of its own format, as there", async () => {
    const { definitions } = await swagger()
    expect(definitions?.["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({ type: "string", format: "int-or-string" })
  })

  test("bodies are parameters", async () => {
    const { paths } = await swagger()
    const post = paths?.["/apis/apps/v1/namespaces/{namespace}/deployments"]?.post
    expect(post).toMatchObject({
      "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
      responses: { 200: { schema: { $ref: "#/definitions/io.k8s.api.apps.v1.Deployment" } } },
    })
    const parameters = post?.parameters as unknown as readonly Node[]
    expect(parameters[0]).toEqual({
      in: "body",
      name: "body",
      required: true,
      schema: { $ref: "#/definitions/io.k8s.api.apps.v1.Deployment" },
    })
    expect(parameters.find(({ name }) => String(name) === "fieldValidation")).toMatchObject({ in: "query", type: "string" })
  })

  test("lists and their parameters say what they are", async () => {
    const { definitions, paths } = await swagger()
    expect(definitions?.["io.k8s.api.core.v1.ServiceList"]?.properties?.items).toMatchObject({
      type: "array",
      description: "List of services",
    })
    const parameters = paths?.["/api/v1/services"]?.get?.parameters as unknown as readonly Node[]
    const text = (name: string) => String(parameters.find((parameter) => String(parameter.name) === name)?.description)
    expect(text("labelSelector")).toContain("list of returned objects")
    expect(text("watch")).toContain("Watch for changes to the described resources")
  })

  test("a client that takes neither of its forms is refused without a word (seen)", async () => {
    expect((await testServer().ask("GET", "/openapi/v2", { headers: { accept: "text/plain" } })).status).toBe(406)
  })
})
