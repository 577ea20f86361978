import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { generateKinds } from "./kinds.ts"

const backups = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: backups.example.com }
spec:
  group: example.com
  scope: Cluster
  names: { kind: Backup, plural: backups, singular: backup }
  versions:
    - { name: v1, served: true, storage: false }
    - name: v2
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          description: A copy of a volume.
          required: [spec]
          properties:
            apiVersion: { type: string }
            kind: { type: string }
            metadata: { type: object }
            spec:
              type: object
              description: "What is copied.\\nA comment */ does not end here."
              properties:
                mode: { type: string, enum: [Full, Delta], default: Full }
                every: { x-kubernetes-int-or-string: true }
                paths: { type: array, items: { type: string, nullable: true } }
                labels: { type: object, additionalProperties: { type: string } }
                options: { type: object, x-kubernetes-preserve-unknown-fields: true }
                "on-failure": { type: boolean, description: Whether it is tried again. }
`

test("writes types with descriptions, and descriptors, in the version that is stored", () => {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-kinds-"))
  try {
    writeFileSync(join(folder, "crd.yaml"), `${backups}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: other }\n`)
    expect(generateKinds([folder])).toBe(`// Written by \`pilothouse kinds generate\`.
import { type KubeObject, resource } from "@pilothouse/api"

/** A copy of a volume. */
export interface Backup extends KubeObject {
  readonly apiVersion: "example.com/v2"
  readonly kind: "Backup"
  /**
   * What is copied.
   * A comment * / does not end here.
   */
  readonly spec: {
    readonly mode: "Full" | "Delta"
    readonly every?: number | string
    readonly paths?: readonly (string | null)[]
    readonly labels?: Readonly<Record<string, string>>
    readonly options?: Readonly<Record<string, unknown>>
    /** Whether it is tried again. */
    readonly "on-failure"?: boolean
  }
}

export const backups = resource<Backup>({
  "group": "example.com",
  "version": "v2",
  "kind": "Backup",
  "plural": "backups",
  "singular": "backup",
  "namespaced": false,
  "subresources": [
    {
      "name": "status",
      "verbs": [
        "get",
        "patch",
        "update"
      ]
    }
  ]
})
`)
    writeFileSync(join(folder, "crd.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: other }\n")
    expect(() => generateKinds([folder])).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining("expected a CustomResourceDefinition") }),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
