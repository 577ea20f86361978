import { type KubeObject, resource } from "@pilothouse/api"

export interface Widget extends KubeObject {
  readonly spec: { readonly size: number }
  readonly status?: { readonly ready?: boolean }
}

export const widgets = resource<Widget>({ group: "example.com", version: "v1", kind: "Widget" })
