import { expect, test } from "vitest"
import type { ProjectDriver } from "./project.ts"

/** What every driver of projects promises: made with the project "p". */
export function projectContract(name: string, make: (project: string) => ProjectDriver): void {
  test.each(["Pod", "Service"])(`${name}: a %s that says nothing is of the configured project`, (kind) => {
    expect(make("p").projectFor({ apiVersion: "v1", kind, metadata: { name: "web", namespace: "default" } })).toBe("p")
  })
}
