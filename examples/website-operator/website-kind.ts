import type { ObjectOf } from "@pilothouse/api"
import { defineKind } from "@pilothouse/runtime/kinds"
import { z } from "zod"

/** What crds/websites.yaml says, with a rule. */
export const websites = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Website",
  shortNames: ["site"],
  spec: z.object({
    image: z.string().min(1),
    replicas: z.int().min(0).default(1),
  }),
  status: z.object({ ready: z.int().optional() }),
  rules: [
    {
      rule: "self.spec.replicas <= 5 || self.spec.image.startsWith('example/')",
      message: "more than 5 replicas need an image of example",
      fieldPath: ".spec.replicas",
    },
  ],
  printerColumns: [
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    { name: "Wanted", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Ready", type: "integer", jsonPath: ".status.ready" },
  ],
})

export type Website = ObjectOf<typeof websites>
