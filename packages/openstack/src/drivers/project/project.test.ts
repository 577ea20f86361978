import { projectContract } from "./project.contract.ts"
import { defaultProject } from "./project.ts"

projectContract("default", defaultProject)
