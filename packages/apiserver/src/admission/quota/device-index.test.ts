import { type DeviceClass, deviceClasses, type ResourceClaim, resourceClaims } from "@pilothouse/api/resource/v1"
import { expect, test, vi } from "vitest"
import { CustomResources } from "../../customresources/custom-resources.ts"
import { objectKey } from "../../registry/object-key.ts"
import { createRegistry } from "../../registry/registry.ts"
import { memoryStorage } from "../../storage/memory.ts"
import { DeviceIndex } from "./device-index.ts"

const registry = createRegistry({ customResources: new CustomResources(memoryStorage()) })

function setUp() {
  const storage = memoryStorage()
  const put = async (of: typeof resourceClaims | typeof deviceClasses, object: ResourceClaim | DeviceClass) => {
    const key = objectKey(registry.of(of as typeof resourceClaims), object.metadata.namespace, object.metadata.name ?? "")
    const expected = storage.get(key)?.revision ?? 0
    await storage.commit([{ key, expected, make: () => object as never }])
  }
  const remove = async (namespace: string, name: string) => {
    const key = objectKey(registry.of(resourceClaims), namespace, name)
    const { revision = 0, value } = storage.get(key) ?? {}
    await storage.commit([{ key, expected: revision, deletes: true, make: () => value as never }])
  }
  return { storage, put, remove, index: new DeviceIndex(storage, registry) }
}

/** As the scheduler makes it for a pod. */
function claim(namespace: string, name: string, pod: string | undefined): ResourceClaim {
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "p", uid: pod ?? "", controller: true }]
  const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" }
  const metadata = { namespace, name, ...(pod !== undefined && { annotations, ownerReferences }) }
  return { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata, spec: {} } as ResourceClaim
}

function deviceClass(name: string, extendedResourceName: string): DeviceClass {
  return { apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: { name }, spec: { extendedResourceName } } as DeviceClass
}

test("has the claims of a pod, those of before and those that come, change and go", async () => {
  const { put, remove, index } = setUp()
  await put(resourceClaims, claim("a", "first", "u1"))
  await put(resourceClaims, claim("a", "nobodys", undefined))
  await put(resourceClaims, claim("b", "elsewhere", "u1"))
  const names = (namespace: string, pod: string) => index.claimsOf(namespace, pod).map(({ metadata }) => metadata.name)
  expect(names("a", "u1")).toEqual(["first"])
  await put(resourceClaims, claim("a", "second", "u1"))
  expect(names("a", "u1")).toEqual(["first", "second"])
  await put(resourceClaims, claim("a", "first", "u2"))
  expect([names("a", "u1"), names("a", "u2"), names("b", "u1")]).toEqual([["second"], ["first"], ["elsewhere"]])
  await remove("a", "second")
  await put(resourceClaims, claim("a", "first", undefined))
  expect([names("a", "u1"), names("a", "u2")]).toEqual([[], []])
})

test("has the classes, and sees when they change", async () => {
  const { put, index } = setUp()
  await put(deviceClasses, deviceClass("gpu", "example.com/gpu"))
  const { classes } = index
  expect(index.classes).toBe(classes)
  await put(deviceClasses, deviceClass("gpu", "example.com/other"))
  expect(index.classes).not.toEqual(classes)
})

test("looks through the storage once, when it is first asked", async () => {
  const { storage, put, index } = setUp()
  const list = vi.spyOn(storage, "list")
  for (let number = 0; number < 5; number++) {
    await put(resourceClaims, claim("a", `c${number}`, "u"))
    expect(index.claimsOf("a", "u")).toHaveLength(number + 1)
    expect(index.classes).toBeDefined()
  }
  expect(list).toHaveBeenCalledTimes(2)
})
