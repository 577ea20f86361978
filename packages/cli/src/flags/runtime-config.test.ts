import { expect, test } from "vitest"
import { runtimeConfig } from "./runtime-config.ts"

const migrations = "storagemigration.k8s.io/v1beta1"
const certificates = "certificates.k8s.io/v1beta1"
const alpha = ["internal.apiserver.k8s.io/v1alpha1", "resource.k8s.io/v1alpha3", "scheduling.k8s.io/v1alpha2"]

test.each<[text: string, enabled: readonly string[]]>([
  [`${migrations}=true`, [migrations]],
  [migrations, [migrations]],
  [`apps/v1=true, ${migrations}=1`, [migrations]],
  [`${certificates}=true`, [certificates]],
  ["api/beta=true", [certificates, migrations]],
  ["api/alpha=true", alpha],
  ["api/all=true", [certificates, ...alpha, migrations]],
  [`api/all=true,${migrations}=false`, [certificates, ...alpha]],
  ["api/all=true,api/alpha=false", [certificates, migrations]],
  [`${migrations}=false`, []],
  ["batch/v1=true,unheard.of/v1=true", []],
  ["", []],
])("--runtime-config=%s", (text, enabled) => {
  expect(runtimeConfig(text)).toEqual(enabled)
})

test("said again it goes on from what was said", () => {
  expect(runtimeConfig("apps/v1", runtimeConfig(migrations))).toEqual([migrations])
})

test.each([`${migrations}=maybe`, "=true", `${migrations}=true=true`])("%s is refused as wrong usage", (text) => {
  expect(() => runtimeConfig(text)).toThrow(expect.objectContaining({ code: "USAGE" }))
})
