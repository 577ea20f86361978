import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { parseManifests } from "@pilothouse/runtime/manifests"
import { expect, test } from "vitest"
import { deleteAll } from "../client/delete-objects.ts"
import { findAsked } from "../client/find-resource.ts"
import type { GetOptions } from "../get/output.ts"
import { printAsked } from "../get/print.ts"
import { applyManifests } from "./apply.ts"
import { doomedOf } from "./delete.ts"
import { connectedCluster, printed } from "./testing/connection.ts"

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [toys] }
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
        - { name: Colour, type: string, jsonPath: .spec.colour, priority: 1 }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { size: { type: integer }, colour: { type: string } } }
`

const widget = (name: string) => `
apiVersion: example.com/v1
kind: Widget
metadata: { name: ${name} }
spec: { size: 3, colour: red }
`

const place = { namespace: "default" }

async function applied(...documents: readonly string[]) {
  const connection = await connectedCluster({ controllers: [], nodes: 0 })
  const { print, text } = printed()
  const manifests = parseManifests(documents.join("---"), "f.yaml")
  const ended = await applyManifests(connection.client, manifests, place, (line) => print(`${line}\n`)).catch(String)
  return { ...connection, said: text(), ended, manifests }
}

test("definitions are applied and established before the objects, wherever they stand", async () => {
  await using connection = await applied(widget("one"), definition, widget("two"))
  expect(connection.ended).toBeUndefined()
  expect(connection.said).toBe(
    "customresourcedefinition.apiextensions.k8s.io/widgets.example.com created\nwidget.example.com/one created\nwidget.example.com/two created\n",
  )
})

test("a definition that is refused is reported beside the objects that need it", async () => {
  await using connection = await applied(widget("one"), definition.replace("name: widgets.example.com", "name: Widgets_"))
  expect(connection.ended).toMatch(/2 of 2 objects were refused:\nf.yaml, document 2: .*Widgets_[^]*\nf.yaml, document 1: expected a kind/)
})

test.each<[words: readonly string[], options: Partial<GetOptions>, table: RegExp]>([
  [["widgets"], {}, /^NAME +SIZE\none +3\ntwo +3\n$/],
  [["wd", "one"], {}, /^NAME +SIZE\none +3\n$/],
  [["widget.example.com/two"], {}, /^NAME +SIZE\ntwo +3\n$/],
  [["toys"], { output: "wide" }, /^NAME +SIZE +COLOUR\none +3 +red\ntwo +3 +red\n$/],
  [["Widget"], { allNamespaces: true }, /^NAMESPACE +NAME +SIZE\ndefault +one +3\n/],
])("get %j shows the columns of the definition", async (words, options, table) => {
  await using connection = await applied(definition, widget("one"), widget("two"))
  const { print, text } = printed()
  await printAsked(connection.client, await findAsked(connection.client, words), { namespace: "default", ...options }, print)
  expect(text()).toMatch(table)
})

test("delete takes the objects of a file before their definition", async () => {
  await using connection = await applied(definition, widget("one"))
  const doomed = await doomedOf(connection.client, connection.manifests, place)
  const { print, text } = printed()
  await deleteAll(connection.client, doomed, { wait: true }, (line) => print(`${line}\n`))
  expect(text()).toBe("widget.example.com/one deleted\ncustomresourcedefinition.apiextensions.k8s.io/widgets.example.com deleted\n")
  expect((await connection.client.list(customResourceDefinitions)).items).toEqual([])
})
