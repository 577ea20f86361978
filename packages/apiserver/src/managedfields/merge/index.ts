export { type Conflict, ConflictError, type Manager, type Managers, type Merge, type Versions } from "./managers.ts"
export { type AppliedConfig, type ApplyConfigOptions, applyConfig, type UpdateManagersOptions, updateManagers } from "./updater.ts"
