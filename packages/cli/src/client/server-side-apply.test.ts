import type { KubeObject } from "@pilothouse/api"
import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { applyObject } from "./apply-object.ts"
import { serverSideApply, upgradedManagedFields } from "./server-side-apply.ts"

const settings = (data: Record<string, string>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default" },
  data,
})
const ours = { fieldManager: "pilothouse", force: false }
const owners = ({ metadata: { managedFields = [] } }: KubeObject) =>
  managedFields.map(({ manager, operation }) => `${manager} ${operation}`)
const begin = () => cluster({ controllers: [], nodes: 0, managedFields: true })

test("creates, changes, and removes what the manifest no longer names", async () => {
  await using c = await begin()
  await serverSideApply(c.client, configMaps, settings({ a: "1", b: "2" }), ours)
  expect(await serverSideApply(c.client, configMaps, settings({ a: "3" }), ours)).toBe("serverside-applied")
  const found = await c.client.get(configMaps, "default/settings")
  expect([found.data, owners(found)]).toEqual([{ a: "3" }, ["pilothouse Apply"]])
})

test("a conflict says what can be done; force takes the field over", async () => {
  await using c = await begin()
  await c.client.apply(configMaps, settings({ a: "1" }), { fieldManager: "other" })
  const refused = await serverSideApply(c.client, configMaps, settings({ a: "2" }), ours).catch(messageOf)
  expect(refused).toMatch(
    /^Apply failed with 1 conflict: conflict with "other": \.data\.a\nThese fields have other managers\. Add --force-conflicts to take them over,\n.*\n.* to share them\.$/,
  )
  await serverSideApply(c.client, configMaps, settings({ a: "2" }), { ...ours, force: true })
  const found = await c.client.get(configMaps, "default/settings")
  expect([found.data, owners(found)]).toEqual([{ a: "2" }, ["pilothouse Apply"]])
})

test.each(["pilothouse-client-side-apply", "kubectl-client-side-apply"])(
  "takes over what %s has set, and its annotation",
  async (manager) => {
    await using c = await begin()
    await applyObject(c.client, configMaps, settings({ a: "1", b: "2" }), manager)
    await c.client.patch(configMaps, "default/settings", { data: { c: "3" } })
    await serverSideApply(c.client, configMaps, settings({ a: "4" }), ours)
    const found = await c.client.get(configMaps, "default/settings")
    expect([found.data, found.metadata.annotations, owners(found)]).toEqual([
      { a: "4", c: "3" },
      undefined,
      ["pilothouse Apply", "test Update"],
    ])
  },
)

test("entries of client-side applies are united with the manager's own, others stay", () => {
  const entry = (manager: string, operation: string, fieldsV1: object, subresource?: string) => ({
    manager,
    operation,
    fieldsV1,
    fieldsType: "FieldsV1",
    ...(subresource && { subresource }),
  })
  const status = entry("kubectl-client-side-apply", "Update", { "f:status": {} }, "status")
  const other = entry("kubectl-edit", "Update", { "f:data": { "f:x": {} } })
  const upgraded = upgradedManagedFields(
    [
      entry("me", "Apply", { "f:data": { "f:a": {} } }),
      entry("kubectl-client-side-apply", "Update", { "f:data": { ".": {}, "f:b": {} } }),
      status,
      other,
    ],
    "me",
  )
  expect(upgraded).toEqual([status, other, entry("me", "Apply", { "f:data": { ".": {}, "f:a": {}, "f:b": {} } })])
  expect(upgradedManagedFields([status, other], "me")).toBeUndefined()
})
