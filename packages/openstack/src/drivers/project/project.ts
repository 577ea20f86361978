import type { KubeObject } from "@pilothouse/api"

/** In which project what belongs to an object is made. */
export interface ProjectDriver {
  projectFor(object: KubeObject): string
}

/** One project for all. */
export function defaultProject(project: string): ProjectDriver {
  return { projectFor: () => project }
}
