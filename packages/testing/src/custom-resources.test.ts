import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { controllerRef, isNotFound, type KubeObject, resource } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { type ConfigMap, configMaps, namespaces, resourceQuotas } from "@pilothouse/api/core/v1"
import { controller, describePlan, plan } from "@pilothouse/runtime"
import { describe, expect, onTestFinished, test } from "vitest"
import { aConfigMap, aNamespace } from "./builders/index.ts"
import { cluster } from "./cluster.ts"

interface Widget extends KubeObject {
  readonly spec: { readonly size: number; readonly color?: string }
  readonly status?: { readonly phase?: string }
}

const widgets = resource<Widget>({ group: "example.com", version: "v1", kind: "Widget", shortNames: ["wd"] })

const openAPIV3Schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { size: { type: "integer" }, color: { type: "string", default: "red" } } },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
}

function definition(plural = "widgets", kind = "Widget", spec: Partial<CustomResourceDefinition["spec"]> = {}): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }],
      ...spec,
    },
  }
}

function widget(name: string, metadata: Partial<Widget["metadata"]> = {}): Widget {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, namespace: "default", ...metadata }, spec: { size: 3 } }
}

/** A directory with these files, until the test has finished. */
function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), "crds-"))
  onTestFinished(() => rmSync(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, ".."), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

const yaml = (plural: string, kind: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: ${plural}, kind: ${kind} }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`

describe("cluster({ crds })", () => {
  test.each([false, true])("a definition that is an object is established when it returns (through JSON: %s)", async (throughJson) => {
    await using c = await cluster({ controllers: [], crds: [definition()], throughJson })
    const made = await c.apply(widget("one"))
    expect(made.spec).toEqual({ size: 3, color: "red" })
    expect(await c.list(widgets)).toHaveLength(1)
    expect(await c.client.forKind("example.com/v1", "Widget")).toMatchObject({ plural: "widgets", namespaced: true })
  })

  test("no time passes while definitions are established", async () => {
    await using plain = await cluster({ controllers: [] })
    await using c = await cluster({ controllers: [], crds: [definition()] })
    expect(c.clock.now()).toBe(plain.clock.now())
  })

  test("files and directories are read, with several documents; what is not a definition is skipped", async () => {
    const crds = folder({
      "a.yaml": `${yaml("widgets", "Widget")}---${yaml("gadgets", "Gadget")}`,
      "b.json": JSON.stringify(definition("gizmos", "Gizmo")),
      "kustomization.yaml": "resources: [a.yaml]\n",
      "notes.txt": "not a manifest",
    })
    const [more, parts] = [folder({ "more.yml": yaml("parts", "Part") }), definition("tools", "Tool")]
    await using c = await cluster({ controllers: [], crds: [crds, join(more, "more.yml"), parts] })
    const kinds = (await c.client.resources()).filter(({ group }) => group === "example.com").map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(["Gadget", "Gizmo", "Part", "Tool", "Widget"])
  })

  const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n"
  test.each([
    ["a path without anything", "nowhere.yaml", {}, /^expected a file or directory at .*nowhere.yaml, found nothing$/],
    [
      "a file without a definition",
      "a.yaml",
      { "a.yaml": configMap },
      /^expected a CustomResourceDefinition .* in .*a.yaml, found other documents only$/,
    ],
    ["a directory without one", ".", { "a.yaml": configMap }, /^expected a CustomResourceDefinition .*, found other documents only$/],
    ["broken YAML", "a.yaml", { "a.yaml": "a: [" }, /^expected YAML in .*a.yaml, document 1/],
    [
      "an older version",
      "a.yaml",
      { "a.yaml": yaml("widgets", "Widget").replace("apiextensions.k8s.io/v1", "example.com/v1") },
      /document 1, found example.com\/v1 CustomResourceDefinition$/,
    ],
    [
      "one that the server refuses",
      "a.yaml",
      { "a.yaml": yaml("widgets", "Widget").replace("widgets.example.com", "Widgets_") },
      /^expected a CustomResourceDefinition that the server takes in .*a.yaml, document 1, found: /,
    ],
  ])("%s is refused with its place", async (_name, path, files, message) => {
    await expect(cluster({ crds: [join(folder(files), path)] })).rejects.toThrow(message)
  })

  test("names that another definition has are refused with the reason of the condition", async () => {
    const other = definition("wigets", "Widget")
    await expect(cluster({ crds: [definition(), other] })).rejects.toThrow(
      /^expected wigets.example.com to be established, found NamesAccepted False, ListKindConflict: "WidgetList" is already in use; .*; rename it, or delete the definition that has the name$/,
    )
  })

  test("an object that is none is refused with its index", async () => {
    const crds = [definition(), aConfigMap("a")]
    await expect(cluster({ crds })).rejects.toThrow(
      "expected a CustomResourceDefinition of apiextensions.k8s.io/v1 in crds[1], found v1 ConfigMap",
    )
  })
})

describe("c.apply", () => {
  test("a definition and its objects are applied in one call, in any order", async () => {
    await using c = await cluster({ controllers: [] })
    const [made, established] = await c.apply([widget("one"), definition()])
    expect(made.metadata.generation).toBe(1)
    expect(established.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toContain("Established True")
  })

  test("objects of a definition that is applied later are taken from then on", async () => {
    await using c = await cluster({ controllers: [] })
    await expect(c.apply(widget("early"))).rejects.toThrow(
      "expected a kind that the server has, found example.com/v1 Widget; check the spelling, or install the CustomResourceDefinition",
    )
    await c.apply(definition())
    await c.apply(widget("one"))
    await c.apply({ ...widget("one"), spec: { size: 4 } })
    await expect(c.apply({ ...widget("two"), spec: { size: "big" } } as never)).rejects.toThrow(
      'Widget.example.com "two" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    )
    expect((await c.client.get(widgets, "default/one")).spec).toEqual({ size: 4, color: "red" })
  })

  test("a changed definition is patched, and its new version is served", async () => {
    await using c = await cluster({ controllers: [], crds: [definition()] })
    const [v1] = definition().spec.versions
    await c.apply(definition("widgets", "Widget", { versions: [v1!, { ...v1!, name: "v2", storage: false }] }))
    await c.apply({ ...widget("one"), apiVersion: "example.com/v2" })
    expect((await c.client.get(widgets, "default/one")).apiVersion).toBe("example.com/v1")
  })
})

/** Applies a ConfigMap with the size of each Widget, and says in its status when it is there. */
const operator = controller("widget-operator", {
  for: widgets,
  owns: [configMaps],
  observe(key, read) {
    const found = read.get(widgets, key)
    return found && { owner: found, size: read.get(configMaps, key)?.data?.size }
  },
  decide({ owner, size }) {
    const { name = "", namespace } = owner.metadata
    const metadata = { name, namespace, ownerReferences: [controllerRef(owner, widgets)] }
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { size: String(owner.spec.size) } } satisfies ConfigMap
    if (size !== config.data.size) return plan().apply(config, "its ConfigMap has another size")
    return owner.status?.phase === "Ready"
      ? plan().nothing("all is well")
      : plan().status(owner, { phase: "Ready" }, "its ConfigMap is there")
  },
})

describe("an operator of a custom kind", () => {
  test("reads, applies, owns and writes the status, as of any other kind", async () => {
    await using c = await cluster({ controllers: [], crds: [definition()], extra: [operator], managedFields: true })
    await c.apply(widget("one"))
    await c.settled()
    const made = await c.client.get(widgets, "default/one")
    expect([made.status, made.metadata.generation]).toEqual([{ phase: "Ready" }, 1])
    const lines = c.trace.entries().flatMap(({ plan: decided, results }) => (decided ? describePlan(decided, results) : []))
    expect(lines).toContain("apply ConfigMap default/one, because its ConfigMap has another size: done")
    await c.client.patch(widgets, made, { spec: { size: 5 } })
    await c.settled()
    expect((await c.client.get(configMaps, "default/one")).data).toEqual({ size: "5" })
    await c.client.delete(configMaps, "default/one")
    await c.settled()
    expect((await c.client.get(configMaps, "default/one")).data).toEqual({ size: "5" })
  })

  test("runs on when its definition comes late, and again after a crash", async () => {
    await using c = await cluster({ controllers: [], extra: () => [operator] })
    await c.advance("1m")
    await c.apply([definition(), widget("one")])
    await c.until(async () => (await c.client.get(widgets, "default/one")).status?.phase === "Ready")
    await c.restartControllers()
    await c.apply(widget("two"))
    await c.until(async () => (await c.client.get(widgets, "default/two")).status?.phase === "Ready")
  })

  test("server-side apply of a custom kind has owners and conflicts", async () => {
    await using c = await cluster({ controllers: [], crds: [definition()], managedFields: true })
    await c.client.apply(widgets, widget("one"), { fieldManager: "first" })
    const refused = c.client.apply(widgets, { ...widget("one"), spec: { size: 4 } }, { fieldManager: "second" })
    await expect(refused).rejects.toThrow('Apply failed with 1 conflict: conflict with "first": .spec.size')
    const partial = { ...widget("one"), spec: { size: 4, color: "blue" } }
    const forced = await c.client.apply(widgets, partial, { fieldManager: "second", force: true })
    expect(forced.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual(["second Apply"])
    expect(forced.spec).toEqual({ size: 4, color: "blue" })
  })
})

const gone = (reading: Promise<unknown>): Promise<boolean> => reading.then(() => false, isNotFound)

describe("the controllers that work on every kind", () => {
  const controllers = ["garbagecollector", "namespace", "resourcequota"]

  test.each<["Background" | "Foreground"]>([["Background"], ["Foreground"]])(
    "the garbage collector takes what a custom object owned, and custom objects that were owned (%s)",
    async (propagationPolicy) => {
      await using c = await cluster({ controllers, crds: [definition()] })
      const root = await c.apply(aConfigMap("root"))
      const middle = await c.apply(widget("middle", { ownerReferences: [controllerRef(root, configMaps)] }))
      await c.apply(aConfigMap("leaf", { controlledBy: middle }))
      await c.settled()
      await c.client.delete(configMaps, root, { propagationPolicy })
      await c.settled()
      expect(await gone(c.client.get(widgets, middle))).toBe(true)
      expect(await gone(c.client.get(configMaps, "default/leaf"))).toBe(true)
      expect(await gone(c.client.get(configMaps, "default/root"))).toBe(true)
    },
  )

  test("the garbage collector orphans what a custom object owned, custom objects too", async () => {
    await using c = await cluster({ controllers, crds: [definition()] })
    const owner = await c.apply(widget("owner"))
    await c.apply(aConfigMap("one", { controlledBy: owner }))
    await c.apply(widget("two", { ownerReferences: [controllerRef(owner, widgets)] }))
    await c.settled()
    await c.client.delete(widgets, owner, { propagationPolicy: "Orphan" })
    await c.settled()
    expect(await gone(c.client.get(widgets, owner))).toBe(true)
    expect((await c.client.get(configMaps, "default/one")).metadata).not.toHaveProperty("ownerReferences")
    expect((await c.client.get(widgets, "default/two")).metadata).not.toHaveProperty("ownerReferences")
  })

  test("a terminating namespace takes its custom objects with it, held ones when they are released", async () => {
    await using c = await cluster({ controllers, crds: [definition()] })
    await c.apply(aNamespace("team"))
    await c.apply(widget("one", { namespace: "team" }))
    const held = await c.apply(widget("held", { namespace: "team", finalizers: ["example.com/hold"] }))
    await c.client.delete(namespaces, "team")
    await c.advance("1m")
    expect(await c.list(widgets)).toHaveLength(1)
    const { status } = await c.client.get(namespaces, "team")
    expect(status?.conditions?.find(({ type }) => type === "NamespaceContentRemaining")?.message).toBe(
      "Some resources are remaining: widgets.example.com has 1 resource instances",
    )
    await c.client.patch(widgets, held, { metadata: { finalizers: null } })
    await c.until(() => gone(c.client.get(namespaces, "team")))
    expect(await c.list(widgets)).toEqual([])
  })

  test("a quota counts custom objects, and refuses those beyond it", async () => {
    await using c = await cluster({ controllers, crds: [definition()] })
    const metadata = { name: "q", namespace: "default" }
    await c.apply({ apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { "count/widgets.example.com": "2" } } })
    await c.settled()
    await c.apply(widget("one"))
    const two = await c.apply(widget("two"))
    await expect(c.apply(widget("three"))).rejects.toThrow(
      "exceeded quota: q, requested: count/widgets.example.com=1, used: count/widgets.example.com=2, limited: count/widgets.example.com=2",
    )
    await c.client.delete(widgets, two)
    await c.advance("1s")
    expect((await c.client.get(resourceQuotas, "default/q")).status?.used).toEqual({ "count/widgets.example.com": "1" })
  })

  test("a quota that was there before the kind counts it a second after its definition", async () => {
    await using c = await cluster({ controllers })
    const metadata = { name: "q", namespace: "default" }
    await c.apply({ apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { "count/widgets.example.com": "1" } } })
    await c.advance("10s")
    await c.apply(definition())
    await c.advance("2s")
    await c.apply(widget("one"))
    await expect(c.apply(widget("two"))).rejects.toThrow("exceeded quota: q")
  })

  test("kinds that come later are followed at once, and left alone when they have gone", async () => {
    await using c = await cluster({ controllers })
    await c.advance("5s")
    const [root] = await c.apply([aConfigMap("root"), definition()])
    await c.settled()
    const owned = await c.apply(widget("one", { ownerReferences: [controllerRef(root, configMaps)] }))
    await c.client.delete(configMaps, root)
    await c.settled()
    expect(await gone(c.client.get(widgets, owned))).toBe(true)
    await c.apply(widget("two", { ownerReferences: [controllerRef(root, configMaps)] }))
    await c.client.delete(customResourceDefinitions, "widgets.example.com")
    await c.advance("5m")
    expect(await gone(c.client.get(customResourceDefinitions, "widgets.example.com"))).toBe(true)
    expect((await c.client.resources()).filter(({ group }) => group === "example.com")).toEqual([])
  })
})
