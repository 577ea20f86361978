export { applyConfig } from "./apply-config.ts"
export { type Conflict, ConflictError, type Manager, type Managers, type Merge, type Versions } from "./managers.ts"
export { runSteps, type Steps } from "./steps.ts"
export { updateOwners } from "./update-owners.ts"
