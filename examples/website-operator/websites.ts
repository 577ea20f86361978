import { type KubeObject, resource } from "@pilothouse/api"

export interface Website extends KubeObject {
  readonly spec: { readonly image: string; readonly replicas: number }
  readonly status?: { readonly ready?: number }
}

export const websites = resource<Website>({ group: "example.com", version: "v1", kind: "Website" })
