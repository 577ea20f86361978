import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parseAllDocuments } from "yaml"
import { objectIn, testServer } from "../testing/server.ts"
import { answered, prefix, working } from "./testing/extension-server.ts"

const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/extension-api-servers.md"), "utf8")
const name = "v1alpha1.wardle.example.com"
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices"

/** The placeholder for a certificate stands for any text in base64. */
const objects = parseAllDocuments(/```yaml\n([^]*?)```/.exec(guide)![1]!.replace("<base64", "Y2E= # <base64")).map(
  (document) => document.toJSON() as { readonly kind: string; readonly metadata: { readonly name: string } },
)

const pathOf: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  Service: "/api/v1/namespaces/wardle/services",
  EndpointSlice: "/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices",
  APIService: apiServices,
}

/** A server that dials an extension server at the address of the guide, with the objects of these kinds. */
async function serverWith(kinds: readonly string[], answer = working) {
  const api = testServer("in process", {
    dial: (to) => async (request) => {
      expect(to).toMatchObject({ server: "https://10.0.0.7:8443", serverName: "api.wardle.svc" })
      return answer(request, to)
    },
  })
  for (const object of objects) if (kinds.includes(object.kind)) objectIn(await api.post(pathOf[object.kind]!, object), 201)
  await api.clock.settle()
  const { status } = objectIn(await api.get(`${apiServices}/${name}`))
  const [condition] = status!.conditions as readonly { readonly status: string; readonly reason: string }[]
  return { api, condition: condition! }
}

test("the objects of the guide make an extension server answer for its group", async () => {
  const { api, condition } = await serverWith(Object.keys(pathOf))
  expect(condition).toMatchObject({ status: "True", reason: "Passed" })
  expect(objectIn(await api.get(`${prefix}/namespaces/default/flunders/a`))).toMatchObject({ kind: "Echo" })
})

test.each<[reason: string, kinds: readonly string[]]>([
  ["ServiceNotFound", ["Namespace", "APIService"]],
  ["EndpointsNotFound", ["Namespace", "Service", "APIService"]],
])("%s is a reason that the guide names", async (reason, kinds) => {
  expect((await serverWith(kinds)).condition.reason).toBe(reason)
  expect(guide).toContain(`\`${reason}\``)
})

test("a group that is not available is answered with 503, as the guide says", async () => {
  const { api, condition } = await serverWith(Object.keys(pathOf), () => answered({}, {}, 401))
  expect(condition.reason).toBe("FailedDiscoveryCheck")
  expect(guide).toContain("`FailedDiscoveryCheck`")
  expect((await api.get(`${prefix}/namespaces/default/flunders/a`)).status).toBe(503)
  expect((await api.get("/apis/apps/v1")).status).toBe(200)
})
