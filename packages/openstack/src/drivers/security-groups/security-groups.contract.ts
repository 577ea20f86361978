import type { Namespace, Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { type SecurityGroupsDriver, securityGroupsAnnotation } from "./security-groups.ts"

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default" } } as Pod

export function namespaceWith(groups: string): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", annotations: { [securityGroupsAnnotation]: groups } } }
}

/** What every driver of security groups promises: made with the groups "a" and "b". */
export function securityGroupsContract(name: string, make: (groups: readonly string[]) => SecurityGroupsDriver): void {
  const driver = make(["a", "b"])

  test(`${name}: by default the groups are those of the configuration`, () => {
    for (const namespace of [undefined, namespaceWith(""), namespaceWith(" , ")])
      expect(driver.groupsFor(pod, namespace)).toEqual(["a", "b"])
  })

  test(`${name}: the same question has the same answer`, () => {
    const namespace = namespaceWith("c")
    expect(driver.groupsFor(pod, namespace)).toEqual(driver.groupsFor(pod, namespace))
  })
}
