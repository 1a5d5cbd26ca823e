-- The revisions into which a revision was merged before it was built: JSON, an array of full names.
ALTER TABLE build ADD COLUMN onto TEXT NOT NULL DEFAULT '[]';
