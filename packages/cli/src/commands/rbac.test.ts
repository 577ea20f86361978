import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { roleOf } from "./rbac.ts"

const examples = join(import.meta.dirname, "../../../../examples")

test("prints the least rights of an example's controller: what it declares, and what it says it writes", async () => {
  expect(await roleOf([join(examples, "night-sleeper/controller.ts")], {})).toBe(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: night-sleeper
rules:
  - apiGroups:
      - apps
    resources:
      - deployments
    verbs:
      - get
      - list
      - patch
      - watch
  - apiGroups:
      - ""
      - events.k8s.io
    resources:
      - events
    verbs:
      - create
      - patch
`)
})

test("a manager that installs definitions and elects a leader needs more", async () => {
  const text = await roleOf([join(examples, "address-book/controller.ts")], { name: "book", crds: true, lease: "default/address-book" })
  expect(text).toContain("name: book")
  expect(text).toContain("- customresourcedefinitions")
  expect(text).toMatch(/resourceNames:\n {6}- address-book\n {4}resources:\n {6}- leases\n {4}verbs:\n {6}- get\n {6}- patch\n {6}- update/)
  expect(text).toMatch(/resources:\n {6}- services\/status\n/)
})

test("refuses files without a controller, and files that are no modules", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-rbac-"))
  try {
    const file = join(folder, "none.mjs")
    writeFileSync(file, "export const size = 3")
    await expect(roleOf([file], {})).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("none.mjs, found size; write export const"),
    })
    const missing = join(folder, "missing.ts")
    await expect(roleOf([missing], {})).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining("it cannot be imported") })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
