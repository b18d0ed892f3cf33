import fc from 'fast-check';

// The same inputs in every run: a test that fails must fail again. FAIRLEAD_PROPERTY_SEED explores others.
fc.configureGlobal({ seed: Number(process.env['FAIRLEAD_PROPERTY_SEED'] ?? 1) });
