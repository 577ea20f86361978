import { deepEqual } from "@pilothouse/api"
import type { PodTemplate } from "@pilothouse/api/core/v1"
import { validatePodTemplate } from "../../validation/pods/pod-spec.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

export const podTemplate: ResourceStrategy<PodTemplate> = {
  deleteAnswer: "object",
  // Its template is all there is of it.
  generation: (object, old) => !deepEqual(object.template, old.template),
  defaults: ({ template }) => defaultTemplate(template),
  validate: ({ template }) => validatePodTemplate(template, { field: "template" }),
}
