export { type Conflict, ConflictError, type Manager, type Managers, type Merge, type Versions } from "./managers.ts"
export { applyConfig, updateManagers } from "./updater.ts"
