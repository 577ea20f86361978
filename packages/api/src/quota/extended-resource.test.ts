import { expect, test } from "vitest"
import { isExtendedQuotaName, isExtendedResource } from "./extended-resource.ts"

test.each([
  ["example.com/gpu", true],
  ["cpu", false],
  ["hugepages-2Mi", false],
  ["kubernetes.io/gpu", false],
  ["x.kubernetes.io/gpu", false],
  ["deviceclass.resource.kubernetes.io/gpu", false],
  ["requests.example.com/gpu", false],
  ["example.com/not allowed", false],
  // One that is too long for a quota to put "requests." in front.
  [`${"a".repeat(60)}.`.repeat(4).concat("example/gpu"), false],
])("%s is an extended resource: %s", (name, expected) => {
  expect(isExtendedResource(name)).toBe(expected)
})

test.each([
  ["requests.example.com/gpu", true],
  ["requests.deviceclass.resource.kubernetes.io/gpu", true],
  ["requests.kubernetes.io/gpu", false],
  ["requests.cpu", false],
  ["limits.example.com/gpu", false],
  ["example.com/gpu", false],
  ["gold.storageclass.storage.k8s.io/requests.storage", false],
])("%s of a quota is an extended resource: %s", (name, expected) => {
  expect(isExtendedQuotaName(name)).toBe(expected)
})
